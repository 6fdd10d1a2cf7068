/// A part of generated code that Xcode does not write (Documentation/Guides/GeneratedSwift.md).
package enum CodeFeature: String, CaseIterable, Sendable {
    /// Properties of enumerations and other `RawRepresentable` types.
    case raw
    /// Properties of `Codable` types.
    case codable
    /// Optional scalars as `Int32?`.
    case optionals
    /// Required attributes with a default value as `String` instead of `String?`.
    case required
    /// Unordered to-many relationships as `Set<Author>`.
    case sets
    /// Typed object IDs that can be sent between contexts.
    case ids
    /// Initializers with the required values.
    case `init`
    /// Enumerations of the names of properties.
    case keys
    /// Functions for fetch request templates, and fetched properties.
    case fetches
    /// Documentation comments from `userInfo`.
    case docs
    /// `final` classes.
    case final

    /// The features that Objective-C also supports.
    package static let objectiveC: Set<CodeFeature> = [.codable, .docs]
}

/// The style of imports' access levels.
package enum ImportStyle: String, CaseIterable, Sendable {
    /// `import CoreData`.
    case plain
    /// `public import CoreData` where a declaration of that access level needs it.
    case access
}

/// Whether generated declarations are isolated to the module's default actor.
package enum IsolationStyle: String, CaseIterable, Sendable {
    /// No modifier: the module's default applies.
    case none
    /// `nonisolated` on everything.
    case nonisolated
}

/// The naming of the enumerations of property names.
package enum KeysStyle: String, CaseIterable, Sendable {
    /// `Book.Attributes`.
    case nested
    /// `BookAttributes`, as in mogenerator.
    case mogenerator
}
