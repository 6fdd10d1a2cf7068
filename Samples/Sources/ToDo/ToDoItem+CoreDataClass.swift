//
//  ToDoItem+CoreDataClass.swift
//
//  Created by modelc from ToDo.xcdatamodeld.
//  modelc does not write this file again: it is yours to edit.
//

public import CoreData
public import Foundation

/// A type alias, as written by Xcode, that makes use of both imports.
public typealias ToDoItemCoreDataClassSet = NSSet

/// Something to do. Xcode wrote this class for a Manual/None entity (“Create NSManagedObject Subclass…”), and it was
/// then edited by hand.
@objc(ToDoItem)
public class ToDoItem: NSManagedObject {

    /// The priority of an item, stored as a number.
    enum Priority: Int16 {
        case whenever, soon, today, now
    }

    var urgency: Priority {
        get { Priority(rawValue: priority) ?? .whenever }
        set { priority = newValue.rawValue }
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        // This is not a change that would have to be saved or undone.
        setPrimitiveValue(ToDoApp.now, forKey: #keyPath(ToDoItem.createdAt))
    }

}
