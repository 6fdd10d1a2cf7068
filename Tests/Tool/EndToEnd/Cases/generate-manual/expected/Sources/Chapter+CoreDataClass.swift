//
//  Chapter+CoreDataClass.swift
//
//  Created by modelc from Books.xcdatamodeld.
//  modelc does not write this file again: it is yours to edit.
//

public import Foundation
public import CoreData

public typealias ChapterCoreDataClassSet = NSSet

@objc(Chapter)
public class Chapter: NSManagedObject {

}
