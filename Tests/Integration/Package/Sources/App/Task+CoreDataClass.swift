//
//  Task+CoreDataClass.swift
//  App
//
//  Created by Jane Roe on 9/25/21.
//
//

import Foundation
import CoreData

@objc(Task)
public class Task: NSManagedObject {

    override public func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("untitled", forKey: #keyPath(Task.title))
    }
}
