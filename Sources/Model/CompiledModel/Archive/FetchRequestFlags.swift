/// The flags of a fetch request, `NSFetchRequestFlags` (Documentation/Formats/CompiledModel.md, 2.7).
///
/// The values 30, 31, 14 and 26 prove the bits of distinct results, property values and pending changes. The assignment
/// of the other two bits is unproven, and follows the order of Apple's properties.
struct FetchRequestFlags: OptionSet {
    let rawValue: Int

    static let returnsDistinctResults = FetchRequestFlags(rawValue: 1)
    static let includesSubentities = FetchRequestFlags(rawValue: 2)
    static let includesPropertyValues = FetchRequestFlags(rawValue: 4)
    static let returnsObjectsAsFaults = FetchRequestFlags(rawValue: 8)
    static let includesPendingChanges = FetchRequestFlags(rawValue: 16)

    /// Returns the flags of a request for which the source specifies only the result type.
    static func standard(resultType: Int) -> FetchRequestFlags {
        var flags: FetchRequestFlags = [
            .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults, .includesPendingChanges,
        ]
        // Object IDs need no values, and dictionaries are fetched from the store, without unsaved changes.
        if resultType == 1 { flags.remove(.includesPropertyValues) }
        if resultType == 2 { flags.remove(.includesPendingChanges) }
        return flags
    }
}
