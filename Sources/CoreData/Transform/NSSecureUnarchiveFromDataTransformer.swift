internal import CompiledModel
internal import Foundation

/// Turns bytes into the objects that were archived in them, and back. Only classes that are allowed are made: whoever can write
/// a store cannot make the app create others.
///
/// For classes of one's own, override `allowedTopLevelClasses` and register an instance under a name, which the model's attribute
/// then has.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may be at the top of an archive: Foundation's property list classes unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// Objects of any class.
    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    /// True.
    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object that was archived in bytes; nil for nil and for bytes that hold something else, which is said on standard
    /// error.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = ValueConversion.unwrapped(value) as? Data else { return nil }
        do {
            try checkClasses(in: data)
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: type(of: self).allowedTopLevelClasses, from: data)
        } catch {
            Log.error("\(type(of: self)) cannot unarchive \(data.count) bytes: \(error)")
            return nil
        }
    }

    /// The bytes of an archive of an object; nil for nil and for an object that cannot be archived, which is said on standard
    /// error.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = ValueConversion.unwrapped(value) else { return nil }
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        } catch {
            Log.error("\(type(of: self)) cannot archive a \(type(of: value)): \(error)")
            return nil
        }
    }

    /// Refuses an archive with an object that nobody would accept: Foundation on Linux stops the program for one.
    ///
    /// Classes of the app's own accept what they decode by themselves; there, any class that can be decoded securely may be in the
    /// archive.
    private func checkClasses(in data: Data) throws {
        let allowed = Set(type(of: self).allowedTopLevelClasses.map { NSStringFromClass($0) })
        let common = Set(NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses.map { NSStringFromClass($0) })
        let isCustom = !allowed.isSubset(of: common)
        for names in try BinaryPropertyList(Array(data)).archivedClassNames {
            // Archives of Apple's platforms name Foundation's classes without module.
            let plain = Set(names.map { $0.hasPrefix("Foundation.") ? String($0.dropFirst(11)) : $0 })
            let known = Set(
                (allowed.union(isCustom ? common : [])).map {
                    $0.hasPrefix("Foundation.") ? String($0.dropFirst(11)) : $0
                })
            if !plain.isDisjoint(with: known) { continue }
            if isCustom, let name = names.first, NSClassFromString(name) is any NSSecureCoding.Type { continue }
            throw CoreDataError.error(
                .coreData, "objects of the class \(names.first ?? "?") are not allowed by \(type(of: self))")
        }
    }
}
