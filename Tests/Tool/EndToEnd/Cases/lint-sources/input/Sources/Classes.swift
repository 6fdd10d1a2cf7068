import CoreData

// class Author: NSManagedObject {}
public final class Book: NSManagedObject {}
@objc(Shelf) class Shelf: NSManagedObject {}
