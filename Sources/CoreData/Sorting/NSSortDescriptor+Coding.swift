public import Foundation

// Keys as in Apple's archives of sort descriptors. [K: not measured]
private let keyKey = "NSKey"
private let ascendingKey = "NSAscending"
private let selectorKey = "NSSelector"

// NSSecureCoding's initializer comes from the factory, as no class outside of Foundation can add a required one.
extension NSSortDescriptor: @retroactive NSCoding {
    /// Writes key, direction and method. A comparator cannot be archived and traps, as on Apple's
    /// platforms.
    public func encode(with coder: NSCoder) {
        guard let selector, let key else {
            misuse("NSInvalidArgumentException", "a sort descriptor with a comparator cannot be archived")
        }
        coder.encode(key, forKey: keyKey)
        coder.encode(ascending, forKey: ascendingKey)
        coder.encode(selector.description, forKey: selectorKey)
    }
}

extension NSSortDescriptor: @retroactive NSSecureCoding {
    /// True.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSSortDescriptor {
    /// Reads a sort descriptor from an archive; nil if that has none.
    public init?(coder: NSCoder) {
        let selector = coder.decodeObject(of: NSString.self, forKey: selectorKey).map { Selector($0 as String) }
        guard let key = coder.decodeObject(of: NSString.self, forKey: keyKey),
            let descriptor = KeySortDescriptor(
                key: key as String, isAscending: coder.decodeBool(forKey: ascendingKey), selector: selector ?? .compare)
                as? Self
        else { return nil }
        self = descriptor
    }
}
