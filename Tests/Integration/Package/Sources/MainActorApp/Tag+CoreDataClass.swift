//
//  Tag+CoreDataClass.swift
//  MainActorApp
//
//  Created by Jane Roe on 9/25/25.
//
//

public import Foundation
public import CoreData

public typealias TagCoreDataClassSet = NSSet

@objc(Tag)
public class Tag: NSManagedObject {

}
