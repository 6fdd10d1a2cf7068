import CoreData

@objc(A) class A: NSManagedObject {}
