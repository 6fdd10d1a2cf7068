// Books/Author+CoreDataProperties.swift
public import Foundation
public import CoreData


public typealias AuthorCoreDataPropertiesSet = NSSet

extension Author {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Author> {
        return NSFetchRequest<Author>(entityName: "Author")
    }

    @NSManaged nonisolated public var name: String?
    @NSManaged nonisolated public var books: NSSet?

}

// MARK: Generated accessors for books
extension Author {

    @objc(addBooksObject:)
    @NSManaged nonisolated public func addToBooks(_ value: Book)

    @objc(removeBooksObject:)
    @NSManaged nonisolated public func removeFromBooks(_ value: Book)

    @objc(addBooks:)
    @NSManaged nonisolated public func addToBooks(_ values: NSSet)

    @objc(removeBooks:)
    @NSManaged nonisolated public func removeFromBooks(_ values: NSSet)

}

extension Author : Identifiable {

}
