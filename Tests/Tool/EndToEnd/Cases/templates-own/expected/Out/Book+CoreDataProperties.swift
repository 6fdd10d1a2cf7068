// Books/Book+CoreDataProperties.swift
public import Foundation
public import CoreData


public typealias BookCoreDataPropertiesSet = NSSet

extension Book {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
        return NSFetchRequest<Book>(entityName: "Book")
    }

    @NSManaged nonisolated public var cover: Data?
    @NSManaged nonisolated public var isFinished: Bool
    @NSManaged nonisolated public var published: Date?
    @NSManaged nonisolated public var rating: Int16
    @NSManaged nonisolated public var title: String?
    @NSManaged nonisolated public var author: Author?
    @NSManaged nonisolated public var chapters: NSOrderedSet?

}

// MARK: Generated accessors for chapters
extension Book {

    @objc(insertObject:inChaptersAtIndex:)
    @NSManaged nonisolated public func insertIntoChapters(_ value: Chapter, at idx: Int)

    @objc(removeObjectFromChaptersAtIndex:)
    @NSManaged nonisolated public func removeFromChapters(at idx: Int)

    @objc(insertChapters:atIndexes:)
    @NSManaged nonisolated public func insertIntoChapters(_ values: [Chapter], at indexes: NSIndexSet)

    @objc(removeChaptersAtIndexes:)
    @NSManaged nonisolated public func removeFromChapters(at indexes: NSIndexSet)

    @objc(replaceObjectInChaptersAtIndex:withObject:)
    @NSManaged nonisolated public func replaceChapters(at idx: Int, with value: Chapter)

    @objc(replaceChaptersAtIndexes:withChapters:)
    @NSManaged nonisolated public func replaceChapters(at indexes: NSIndexSet, with values: [Chapter])

    @objc(addChaptersObject:)
    @NSManaged nonisolated public func addToChapters(_ value: Chapter)

    @objc(removeChaptersObject:)
    @NSManaged nonisolated public func removeFromChapters(_ value: Chapter)

    @objc(addChapters:)
    @NSManaged nonisolated public func addToChapters(_ values: NSOrderedSet)

    @objc(removeChapters:)
    @NSManaged nonisolated public func removeFromChapters(_ values: NSOrderedSet)

}

extension Book : Identifiable {

}
