/// The generation of Xcode whose output is written (Documentation/Formats/XcodeSwift.md, 7).
package enum CodeStyle: String, CaseIterable, Sendable {
    /// Xcode 8.1 and 8.2: a semicolon in `fetchRequest`, `NSDate` and `NSData`.
    case xcode8
    /// Xcode 8.3 to 10: `NSDate` and `NSData`.
    case xcode9
    /// Xcode 11: `Date` and `Data`.
    case xcode11
    /// Xcode 12 to 16: entities without parent are `Identifiable`.
    case xcode12
    /// Xcode 26: `public import`, and type aliases that use the imported modules.
    case xcode26
    /// Xcode 27: properties and accessors are `nonisolated`.
    case xcode27

    /// The newest style, which is the default.
    package static let newest = CodeStyle.xcode27

    var endsFetchRequestWithSemicolon: Bool { self == .xcode8 }
    var usesFoundationReferenceTypes: Bool { self == .xcode8 || self == .xcode9 }
    var isIdentifiable: Bool { ![.xcode8, .xcode9, .xcode11].contains(self) }
    var exportsImports: Bool { self == .xcode26 || self == .xcode27 }
    var isNonisolated: Bool { self == .xcode27 }
}

/// The access level of generated declarations.
package enum AccessLevel: String, CaseIterable, Sendable {
    /// Visible everywhere, as Xcode writes it.
    case `public`
    /// Visible inside the package.
    case package
    /// Visible inside the module; written without a modifier.
    case `internal`

    /// The modifier with a trailing space, or an empty string for Swift's default level.
    var prefix: String { self == .internal ? "" : rawValue + " " }
}
