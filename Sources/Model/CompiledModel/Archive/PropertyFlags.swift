/// The flags of a property, `_P` (Documentation/Formats/CompiledModel.md, 2.3).
struct PropertyFlags: OptionSet {
    let rawValue: Int

    /// Set in every property.
    static let always = PropertyFlags(rawValue: 0x01)
    static let isOptional = PropertyFlags(rawValue: 0x02)
    static let isReadOnly = PropertyFlags(rawValue: 0x04)
    static let isTransient = PropertyFlags(rawValue: 0x08)
    static let hasNoValidationPredicates = PropertyFlags(rawValue: 0x10)
    static let hasNoValidationWarnings = PropertyFlags(rawValue: 0x20)
    static let hasNoUserInfo = PropertyFlags(rawValue: 0x40)
    static let hasNoVersionHashModifier = PropertyFlags(rawValue: 0x80)
    static let isOrdered = PropertyFlags(rawValue: 0x400)
}
