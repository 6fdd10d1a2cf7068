/// An attribute of an entity or of a composite type.
///
/// Values that the source writes as text (defaults, limits) are kept as text: their meaning depends on the type, and an
/// invalid value is a finding, not a reason to stop reading.
package struct Attribute: Hashable, Sendable {
    /// The attribute's name.
    package var name: String
    /// Its type. A type name that no Xcode writes is read as `undefined` and kept in `unknownType`.
    package var type: AttributeType
    /// The type as written, if this library does not recognize it.
    package var unknownType: String?
    /// Whether it may have no value.
    package var isOptional: Bool
    /// Whether it is never saved.
    package var isTransient: Bool
    /// The index flag of models for iOS 10 and earlier.
    package var isIndexed: Bool
    /// The `syncable` flag of models up to Xcode 10, or `nil` if it is absent.
    package var isSyncable: Bool?
    /// Whether its property in generated code has a scalar type; `nil`, which means no, if the source does not specify
    /// it.
    package var usesScalarType: Bool?
    /// The default as written, or `nil`.
    package var defaultValue: String?
    /// The default of a date in seconds since 2001-01-01 00:00 UTC, as written, or `nil`.
    package var defaultDateInterval: String?
    /// Whether the source gives it a default that is computed at run time, such as `Date.now`.
    package var hasComputedDefault = false
    /// The minimum value, or the minimum length of a string, as written, or `nil`.
    package var minimum: String?
    /// The maximum value, or the maximum length of a string, as written, or `nil`.
    package var maximum: String?
    /// The minimum date in seconds since 2001-01-01 00:00 UTC, as written, or `nil`.
    package var minimumDateInterval: String?
    /// The maximum date in seconds since 2001-01-01 00:00 UTC, as written, or `nil`.
    package var maximumDateInterval: String?
    /// The regular expression that a string must match, or `nil`.
    package var regularExpression: String?
    /// The name of the value transformer of a transformable attribute, or `nil`.
    package var valueTransformerName: String?
    /// The class, or any Swift type, of a transformable attribute's values, or `nil`.
    package var customClassName: String?
    /// The custom class as code names it, or `nil`: without the leading dot that stands for the module that the model
    /// is compiled into ("Current Product Module").
    package var customTypeName: String? {
        guard let customClassName, !customClassName.isEmpty else { return nil }
        return customClassName.hasPrefix(".") ? String(customClassName.dropFirst()) : customClassName
    }
    /// Whether large values are kept in files beside the store.
    package var allowsExternalBinaryStorage: Bool
    /// Whether CloudKit encrypts it.
    package var allowsCloudEncryption: Bool
    /// Whether persistent history keeps its value when the object is deleted.
    package var isPreservedAfterDeletion: Bool
    package var isIndexedBySpotlight: Bool
    /// The old Spotlight flag "Store in External Record File".
    package var isStoredInTruthFile: Bool
    /// Whether its value is derived by `derivationExpression`.
    package var isDerived: Bool
    /// The expression of a derived attribute, or `nil`.
    package var derivationExpression: String?
    /// The name of the composite type of a composite attribute, or `nil`.
    package var compositeName: String?
    /// The name that identifies it in migrations (`elementID`), or `nil` if that is the attribute's name.
    package var renamingIdentifier: String?
    /// Text that affects the version hash and nothing else, or `nil`.
    package var versionHashModifier: String?
    /// The attribute's `userInfo`.
    package var userInfo: [UserInfoEntry]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a required attribute without a default.
    package init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
        isOptional = false
        isTransient = false
        isIndexed = false
        allowsExternalBinaryStorage = false
        allowsCloudEncryption = false
        isPreservedAfterDeletion = false
        isIndexedBySpotlight = false
        isStoredInTruthFile = false
        isDerived = false
        userInfo = []
        unrecognized = []
    }
}
