import CoreData

@objc(D) class D: NSManagedObject {}
