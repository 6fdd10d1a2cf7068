public import Foundation
internal import ModelSchema
package import RuntimeSupport

/// The base class of attributes, relationships and fetched properties.
///
/// ```swift
/// for property: NSPropertyDescription in book.entity.properties where !property.isOptional {
///     print("\(property.name) is required")  // prints isFinished is required
/// }
/// ```
///
/// Mutable until a persistent store coordinator uses its model; changing it later traps, where Apple's framework raises
/// an exception. Not thread-safe while it is mutable, thread-safe afterwards.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding {
    /// The entity that declares the property: for an inherited property, the ancestor.
    @WeakLink package var owner: NSEntityDescription?

    private var values = Values()
    /// The model of the archive that the property was read from, retained by the property.
    final var archivedModel: NSManagedObjectModel?

    /// The settings that all kinds of properties share. The defaults equal Apple's: optional, saved, no validation.
    package struct Values {
        var name = ""
        var isOptional = true
        var isTransient = false
        package var isIndexed = false
        var isIndexedBySpotlight = false
        var isStoredInExternalRecord = false
        var userInfo: [AnyHashable: Any]? = [:]
        var validationPredicates: [NSPredicate] = []
        var validationWarnings: [Any] = []
        var versionHashModifier: String?
        var renamingIdentifier: String?
    }

    /// Creates a property without a name; optional, not transient, without validation.
    public override init() {
        super.init()
    }

    /// Creates the property in an archive, which retains its model; returns `nil` if the archive is damaged, contains
    /// another kind of property or was not written by this framework.
    public required init?(coder: NSCoder) {
        super.init()
        guard let archived = DescriptionArchive.property(from: coder), adopt(archived) else { return nil }
        values = archived.values
        archivedModel = archived.archivedModel
        owner = archived.owner
    }

    /// Archives the property with its model, in a format that only this framework reads. Traps if a part cannot be
    /// archived, such as a predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Copies the settings that all properties share.
    init(common: Values) {
        values = common
        super.init()
    }

    /// The settings that all properties share, for code that builds a model. Setting them does not check whether the
    /// model is in use.
    package final var common: Values {
        get { values }
        set { values = newValue }
    }

    /// Traps if the model is in use; otherwise drops what was computed from it.
    func willChange() {
        owner?.willChange()
    }

    private final func change<Value>(_ keyPath: WritableKeyPath<Values, Value>, to value: Value) {
        willChange()
        values[keyPath: keyPath] = value
    }

    /// The entity that the property belongs to. Traps if it is in no entity.
    ///
    /// For an inherited property, this is the entity that declares it; in Apple's framework, it is the subentity from
    /// which the property was obtained.
    open var entity: NSEntityDescription {
        guard let owner else {
            misuse("the property “\(values.name)” is in no entity, or its entity no longer exists")
        }
        return owner
    }

    /// The name, unique in its entity and all entities above and below it.
    open var name: String {
        get { values.name }
        set {
            change(\.name, to: newValue)
            owner?.didRenameProperty()
        }
    }

    /// Whether the property may be `nil` when it is saved. The default is `true`.
    open var isOptional: Bool {
        get { values.isOptional }
        set { change(\.isOptional, to: newValue) }
    }

    /// Whether the property is never saved. The default is `false`.
    open var isTransient: Bool {
        get { values.isTransient }
        set { change(\.isTransient, to: newValue) }
    }

    /// The conditions that a value must meet to be saved. To set them with their errors, use
    /// `setValidationPredicates(_:withValidationWarnings:)`.
    open var validationPredicates: [NSPredicate] { values.validationPredicates }

    /// The errors for values that fail validation, one for each of `validationPredicates`: an error code as a number,
    /// or a message.
    open var validationWarnings: [Any] { values.validationWarnings }

    /// Sets the conditions that a value must meet, and the errors reported if it does not.
    ///
    /// - Parameters:
    ///   - validationPredicates: The conditions, of the value as `SELF`; `nil` if there are none.
    ///   - validationWarnings: An error code (`NSNumber`, `Int`) or a message for each condition. Traps if their number
    ///     differs from that of the conditions.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// Sets the conditions that a value must meet, with error codes of Cocoa's error domain.
    ///
    /// - Parameters:
    ///   - validationPredicates: The conditions, of the value as `SELF`; `nil` if there are none.
    ///   - validationWarnings: An error code or a message for each condition. Traps if their number differs from that
    ///     of the conditions.
    @_disfavoredOverload
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    private func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
        guard predicates.count == warnings.count else {
            misuse(
                "NSInvalidArgumentException",
                "“\(name)” gets \(predicates.count) validation predicates and \(warnings.count) warnings; each needs one"
            )
        }
        willChange()
        values.validationPredicates = predicates
        values.validationWarnings = warnings
    }

    /// Custom values, which Core Data does not use. Empty by default. They may be set while the model is in use, but
    /// not while another thread reads the property.
    open var userInfo: [AnyHashable: Any]? {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }

    /// Whether the store should have an index for the property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { values.isIndexed }
        set { change(\.isIndexed, to: newValue) }
    }

    /// Whether Spotlight indexes the property. Part of the model, but unused on Linux.
    open var isIndexedBySpotlight: Bool {
        get { values.isIndexedBySpotlight }
        set { change(\.isIndexedBySpotlight, to: newValue) }
    }

    /// The old Spotlight flag. Part of the model, but unused on Linux.
    @available(*, deprecated, message: "Spotlight integration is deprecated. Use CoreSpotlight integration instead.")
    open var isStoredInExternalRecord: Bool {
        get { values.isStoredInExternalRecord }
        set { change(\.isStoredInExternalRecord, to: newValue) }
    }

    /// Text that only affects the version hash: set it if the meaning of a property has changed but nothing else in the
    /// hash reflects that.
    open var versionHashModifier: String? {
        get { values.versionHashModifier }
        set { change(\.versionHashModifier, to: newValue) }
    }

    /// The name by which migration identifies the property: its name in an older version of the model. The default is
    /// its own name.
    open var renamingIdentifier: String? {
        get { values.renamingIdentifier ?? values.name }
        set { change(\.renamingIdentifier, to: newValue) }
    }

    /// The property's version hash: 32 bytes (Documentation/Formats/VersionHashes.md, 2.1 to 2.4).
    open var versionHash: Data { Data(SchemaConverter.hash(of: self)) }

    /// Returns a property with the same values, in no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeCopy()
        copy.common = values
        return copy
    }

    /// Returns a new object of the same kind, with the settings specific to that kind. References to other parts of the
    /// model are unchanged.
    func makeCopy() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies the settings specific to another property's kind. References to other parts of the model are unchanged.
    ///
    /// - Returns: Whether the other is of the same kind.
    @discardableResult
    func adopt(_ other: NSPropertyDescription) -> Bool { true }

    /// The kind and name, for debugging.
    open override var description: String {
        "(<\(type(of: self))>), name \(values.name), isOptional \(values.isOptional ? 1 : 0), "
            + "isTransient \(values.isTransient ? 1 : 0), entity \(owner?.name ?? "(null)"), "
            + "renamingIdentifier \(renamingIdentifier ?? "(null)")"
    }
}
