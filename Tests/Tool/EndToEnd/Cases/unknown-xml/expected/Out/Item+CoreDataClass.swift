//
//  Item+CoreDataClass.swift
//
//  Created by modelc from Bad.xcdatamodel.
//  modelc does not write this file again: it is yours to edit.
//

public import Foundation
public import CoreData

public typealias ItemCoreDataClassSet = NSSet

@objc(Item)
public class Item: NSManagedObject {

}
