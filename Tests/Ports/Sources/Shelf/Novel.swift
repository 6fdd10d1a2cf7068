import CoreData

@objc(Novel)
open class Novel: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var pages: Int32
    @NSManaged private var primitiveInitial: String?

    /// The name of a section: a transient property with an accessor.
    @objc public var initial: String? {
        willAccessValue(forKey: #keyPath(initial))
        defer { didAccessValue(forKey: #keyPath(initial)) }
        if primitiveInitial == nil { primitiveInitial = title.map { String($0.prefix(1)) } }
        return primitiveInitial
    }

    @objc public dynamic var summary: String { "\(title ?? "") (\(pages))" }

    open override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let keys = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == #keyPath(summary) ? keys.union([#keyPath(title)]) : keys
    }

    open override func setNilValueForKey(_ key: String) {
        if key == #keyPath(pages) { pages = 0 } else { super.setNilValueForKey(key) }
    }
}

extension Novel {
    public static func matching(_ format: String, _ arguments: CVarArg...) -> NSPredicate {
        withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
    }
}
