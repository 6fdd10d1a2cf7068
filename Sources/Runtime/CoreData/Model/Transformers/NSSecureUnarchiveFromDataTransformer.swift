internal import CompiledModel
internal import Foundation
internal import RuntimeSupport

/// Archives and unarchives objects with secure coding. Only allowed classes are instantiated, so that a manipulated
/// store cannot make the app create others.
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///     override static var allowedTopLevelClasses: [AnyClass] { [NSString.self] }
/// }
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
///
/// For custom classes, override `allowedTopLevelClasses` and register an instance under the name that the model's
/// attribute uses.
nonisolated open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may be at the top of an archive: Foundation's property list classes unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// Returns `NSObject`: transformed values may have any class.
    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Always `true`.
    open override class func allowsReverseTransformation() -> Bool { true }

    /// Returns the object archived in data. Returns `nil` for `nil`, and for other data, which is reported on standard
    /// error.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = Unwrapping.value(value) as? Data else { return nil }
        do {
            try checkClasses(in: data)
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: type(of: self).allowedTopLevelClasses, from: data)
        } catch {
            Log.error("\(type(of: self)) cannot unarchive \(data.count) bytes: \(error)")
            return nil
        }
    }

    /// Returns the data of an archived object. Returns `nil` for `nil`, and for an object that cannot be archived,
    /// which is reported on standard error.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = Unwrapping.value(value) else { return nil }
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        } catch {
            Log.error("\(type(of: self)) cannot archive a \(type(of: value)): \(error)")
            return nil
        }
    }

    /// Rejects archives of disallowed classes, on which Foundation on Linux would trap.
    ///
    /// Custom classes check what they decode themselves; within them, the archive may contain any class that supports
    /// secure coding.
    private func checkClasses(in data: Data) throws {
        let archive = try BinaryPropertyList(Array(data))
        let allowed = Self.plain(type(of: self).allowedTopLevelClasses)
        let common = Self.plain(NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses)
        if let names = archive.archivedRootClassNames, allowed.isDisjoint(with: names.map(Self.plain)) {
            throw refusal(of: names)
        }
        let isCustom = !allowed.isSubset(of: common)
        let accepted = isCustom ? allowed.union(common) : allowed
        for names in archive.archivedClassNames where accepted.isDisjoint(with: names.map(Self.plain)) {
            if isCustom, let name = names.first, NSClassFromString(name) is any NSSecureCoding.Type { continue }
            throw refusal(of: names)
        }
    }

    private func refusal(of names: [String]) -> any Error {
        CoreDataError.error(
            .coreData, text: "objects of the class \(names.first ?? "?") are not allowed by \(type(of: self))")
    }

    private static func plain(_ classes: [AnyClass]) -> Set<String> {
        Set(classes.map { plain(NSStringFromClass($0)) })
    }

    /// Returns the name of a class without the module Foundation, which archives from Apple's platforms do not contain.
    static func plain(_ name: String) -> String { name.hasPrefix("Foundation.") ? String(name.dropFirst(11)) : name }
}
