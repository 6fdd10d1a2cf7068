public import Foundation
internal import RuntimeSupport

/// An attribute: a property whose value is stored in the object itself.
///
/// ```swift
/// let title = NSAttributeDescription()
/// title.name = "title"
/// title.attributeType = .stringAttributeType
/// title.isOptional = false
/// title.defaultValue = ""
/// ```
///
/// Mutability and thread rules are those of `NSPropertyDescription`.
open class NSAttributeDescription: NSPropertyDescription {
    private var settings = Settings()

    /// The settings of an attribute other than those that all properties share.
    struct Settings {
        var type = NSAttributeType.undefinedAttributeType
        var valueClassName: String?
        var defaultValue: Any?
        var valueTransformerName: String?
        var allowsExternalBinaryDataStorage = false
        var preservesValueInHistoryOnDeletion = false
        var allowsCloudEncryption = false
    }

    /// The attribute-specific settings. Setting them does not check whether the model is in use.
    final var attributeSettings: Settings {
        get { settings }
        set { settings = newValue }
    }

    /// The composite attribute that this is an element of.
    final weak var container: NSCompositeAttributeDescription?

    override func willChange() {
        super.willChange()
        container?.willChange()
    }

    /// Returns whether the other is an attribute with the same content, of an entity with the same name.
    /// Attributes from two loads of the same model are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSAttributeDescription else { return false }
        return self === other
            || (name == other.name && owner?.name == other.owner?.name && Swift.type(of: self) == Swift.type(of: other)
                && SchemaConverter.areEqual(self, other))
    }

    /// The hash of the name.
    open override var hash: Int { name.hashValue }

    private final func change<Value>(_ keyPath: WritableKeyPath<Settings, Value>, to value: Value) {
        willChange()
        settings[keyPath: keyPath] = value
    }

    /// The type of the values. The default is `.undefinedAttributeType`.
    open var attributeType: NSAttributeType {
        get { settings.type }
        set { change(\.type, to: newValue) }
    }

    /// The type of the values, with shorter names.
    public final var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                misuse("NSInvalidArgumentException", "\(newValue.rawValue) is not an attribute type")
            }
            attributeType = type
        }
    }

    /// The class of the values: determined by the type or, for transformable attributes, as set.
    open var attributeValueClassName: String? {
        get { settings.valueClassName ?? attributeType.valueClassName }
        set { change(\.valueClassName, to: newValue) }
    }

    /// The value that new objects have, as an instance of the attribute's class; `nil` if there is none.
    ///
    /// Numbers in loaded models are `NSNumber`s, which cast to any Swift number type as on Apple's platforms.
    open var defaultValue: Any? {
        get { settings.defaultValue }
        set { change(\.defaultValue, to: newValue) }
    }

    /// The name of the value transformer of a transformable attribute; `nil` for the default one.
    open var valueTransformerName: String? {
        get { settings.valueTransformerName }
        set { change(\.valueTransformerName, to: newValue) }
    }

    /// Whether large values are kept in files next to the store. The default is `false`.
    open var allowsExternalBinaryDataStorage: Bool {
        get { settings.allowsExternalBinaryDataStorage }
        set { change(\.allowsExternalBinaryDataStorage, to: newValue) }
    }

    /// Whether the persistent history keeps the value when the object is deleted. The default is `false`.
    open var preservesValueInHistoryOnDeletion: Bool {
        get { settings.preservesValueInHistoryOnDeletion }
        set { change(\.preservesValueInHistoryOnDeletion, to: newValue) }
    }

    /// Whether CloudKit encrypts the value. Part of the model, but unused on Linux. The default is `false`.
    open var allowsCloudEncryption: Bool {
        get { settings.allowsCloudEncryption }
        set { change(\.allowsCloudEncryption, to: newValue) }
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSAttributeDescription()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSAttributeDescription else { return false }
        settings = other.settings
        return true
    }

    /// The kind, name and type, for debugging.
    open override var description: String {
        super.description + ", attributeType \(attributeType.rawValue), "
            + "attributeValueClassName \(attributeValueClassName ?? "(null)"), "
            + "defaultValue \(defaultValue.map { "\($0)" } ?? "(null)")"
    }
}

/// An attribute whose value the store computes from other properties when it saves.
///
/// ```swift
/// let count = NSDerivedAttributeDescription()
/// count.name = "bookCount"
/// count.attributeType = .integer64AttributeType
/// count.derivationExpression = NSExpression(format: "books.@count")
/// ```
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The expression that computes the value: a key path, `canonical:`, `uppercase:` or `lowercase:` of one, `@count`
    /// or `@sum` over a to-many relationship, or `now()` (Documentation/Formats/SQLiteStore.md, 5).
    open var derivationExpression: NSExpression? {
        get { expression }
        set {
            willChange()
            expression = newValue
        }
    }

    private var expression: NSExpression?

    /// Sets the expression without checking whether the model is in use.
    final func load(derivation: NSExpression?) {
        expression = derivation
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSDerivedAttributeDescription()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSDerivedAttributeDescription else { return false }
        expression = other.expression
        return true
    }
}

/// An attribute that consists of other attributes.
///
/// ```swift
/// let city = NSAttributeDescription()
/// city.name = "city"
/// city.attributeType = .stringAttributeType
/// let address = NSCompositeAttributeDescription()
/// address.name = "address"
/// address.elements = [city]
/// ```
open class NSCompositeAttributeDescription: NSAttributeDescription {
    private var parts: [NSAttributeDescription] = [] {
        didSet {
            for part in oldValue where part.container === self { part.container = nil }
            for part in parts { part.container = self }
        }
    }

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeSettings.type = .compositeAttributeType
    }

    /// Creates the property in an archive; see `NSPropertyDescription`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The attributes of the group, which may be composite themselves. Setting it traps if an attribute contains
    /// itself.
    open var elements: [NSAttributeDescription] {
        get { parts }
        set {
            willChange()
            if Self.contains(self, in: newValue) {
                misuse("NSInvalidArgumentException", "the composite attribute “\(name)” would hold itself")
            }
            parts = newValue
        }
    }

    private static func contains(
        _ requested: NSCompositeAttributeDescription, in elements: [NSAttributeDescription]
    ) -> Bool {
        elements.contains { element in
            guard let composite = element as? NSCompositeAttributeDescription else { return false }
            return composite === requested || contains(requested, in: composite.parts)
        }
    }

    /// Sets the elements without checking whether the model is in use.
    final func load(elements: [NSAttributeDescription]) {
        parts = elements
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSCompositeAttributeDescription()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSCompositeAttributeDescription else { return false }
        parts = other.parts.compactMap { $0.copy() as? NSAttributeDescription }
        return true
    }
}
