import CoreData
import Foundation

@objc(Tag)
public class Tag: NSManagedObject {}
