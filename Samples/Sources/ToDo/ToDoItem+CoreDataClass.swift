//
//  ToDoItem+CoreDataClass.swift
//
//  Created by modelc from ToDo.xcdatamodeld.
//  modelc does not write this file again: it is yours to edit.
//

public import CoreData
public import Foundation

/// Xcode's way of making use of both imports.
public typealias ToDoItemCoreDataClassSet = NSSet

/// Something to do. Xcode wrote this class for a Manual/None entity (“Create NSManagedObject Subclass…”), and people went on with it.
@objc(ToDoItem)
public class ToDoItem: NSManagedObject {

    /// How urgent an item is, which the store knows as a number.
    enum Priority: Int16 {
        case whenever, soon, today, now
    }

    var urgency: Priority {
        get { Priority(rawValue: priority) ?? .whenever }
        set { priority = newValue.rawValue }
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        // Without a change that would have to be saved or undone.
        setPrimitiveValue(ToDoApp.now, forKey: #keyPath(ToDoItem.createdAt))
    }

}
