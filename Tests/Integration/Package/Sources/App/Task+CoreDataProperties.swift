//
//  Task+CoreDataProperties.swift
//  App
//
//  Created by Jane Roe on 9/25/21.
//
//

import Foundation
import CoreData


extension Task {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Task> {
        return NSFetchRequest<Task>(entityName: "Task")
    }

    @NSManaged public var due: Date?
    @NSManaged public var isDone: Bool
    @NSManaged public var title: String?
    @NSManaged public var owner: Person?
    @NSManaged public var project: Project?

}

extension Task : Identifiable {

}
