/// The flags of an attribute, `NSFlagsKey` (Documentation/Formats/CompiledModel.md, 2.4).
struct AttributeFlags: OptionSet {
    let rawValue: Int

    static let allowsExternalBinaryStorage = AttributeFlags(rawValue: 4)
    static let isPreservedAfterDeletion = AttributeFlags(rawValue: 16)
}
