import CoreData

@objc(B) class B: NSManagedObject {}
