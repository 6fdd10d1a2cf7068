import CoreData

private var tagKey: UInt8 = 0

extension NSManagedObjectContext {
    public var tag: String? {
        get { objc_getAssociatedObject(self, &tagKey) as? String }
        set { objc_setAssociatedObject(self, &tagKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }
}
