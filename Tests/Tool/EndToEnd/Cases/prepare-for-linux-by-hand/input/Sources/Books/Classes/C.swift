import CoreData

@objc(C) class C: NSManagedObject {}
