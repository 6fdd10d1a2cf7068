public import Foundation
internal import RuntimeSupport

/// The name of a value transformer.
///
/// ```swift
/// let transformer = ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
/// ```
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as a string.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a name.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a name.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Negates a Boolean.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Returns whether a value is `nil`.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Returns whether a value is not `nil`.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Unarchives objects of allowed classes from data.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}

/// Converts values from one representation to another. Transformable attributes name one.
///
/// ```swift
/// final class Uppercase: ValueTransformer {
///     override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
/// }
/// ```
///
/// Foundation on Linux lacks this class; this one has Apple's interface. The registry is thread-safe. A transformer is
/// called on any thread and should be stateless.
nonisolated open class ValueTransformer: NSObject {
    private final class Registry: @unchecked Sendable {
        private let lock = NSLock()
        private var transformers: [NSValueTransformerName: ValueTransformer] = [:]

        subscript(name: NSValueTransformerName) -> ValueTransformer? {
            get { lock.withLock { transformers[name] } }
            set { lock.withLock { transformers[name] = newValue } }
        }

        var names: [NSValueTransformerName] { lock.withLock { transformers.keys.sorted { $0.rawValue < $1.rawValue } } }
    }

    private static let registry: Registry = {
        let registry = Registry()
        registry[.negateBooleanTransformerName] = BooleanTransformer { !(($0 as? NSNumber)?.boolValue ?? false) }
        registry[.isNilTransformerName] = BooleanTransformer { $0 == nil }
        registry[.isNotNilTransformerName] = BooleanTransformer { $0 != nil }
        registry[.secureUnarchiveFromDataTransformerName] = NSSecureUnarchiveFromDataTransformer()
        return registry
    }()

    /// Creates a transformer.
    public override init() {
        super.init()
    }

    /// Registers a transformer; `nil` unregisters the name.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        registry[name] = transformer
    }

    /// Returns the names of all registered transformers, sorted.
    open class func valueTransformerNames() -> [NSValueTransformerName] { registry.names }

    /// Returns the transformer with a name, or `nil` if there is none.
    static func registered(_ name: NSValueTransformerName) -> ValueTransformer? { registry[name] }

    /// Returns the class of transformed values. The default is `NSObject`.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Returns whether the transformation can be reversed. The default is `true`.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the transformed value. The default is the value itself.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the original of a transformed value. Traps if the transformation cannot be reversed.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            misuse("NSInvalidArgumentException", "\(type(of: self)) cannot turn values back")
        }
        return transformedValue(value)
    }
}

extension FoundationFactory where Self: ValueTransformer {
    /// Returns the registered transformer with a name, or `nil` if there is none of this class.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = ValueTransformer.registered(name) as? Self else { return nil }
        self = transformer
    }
}

private final class BooleanTransformer: ValueTransformer {
    private let truth: (Any?) -> Bool

    init(_ truth: @escaping (Any?) -> Bool) {
        self.truth = truth
        super.init()
    }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: truth(Unwrapping.value(value))) }
}
