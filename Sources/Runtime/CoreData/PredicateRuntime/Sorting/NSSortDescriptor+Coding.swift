public import Foundation
internal import RuntimeSupport

// Keys as in Apple's archives of sort descriptors. [K: not measured]
private let keyKey = "NSKey"
private let ascendingKey = "NSAscending"
private let selectorKey = "NSSelector"

// NSSecureCoding's initializer is provided by the factory, because no module other than Foundation can add a required
// one.
extension NSSortDescriptor: @retroactive NSCoding {
    /// Archives the key, the direction and the method. Traps, as on Apple's platforms, on a comparator.
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
    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSSortDescriptor {
    /// Decodes a sort descriptor from an archive; `nil` if it contains none.
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
