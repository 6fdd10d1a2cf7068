/// The language of generated code.
package enum CodeLanguage: String, CaseIterable, Sendable {
    case swift
    case objectiveC = "objc"
    /// Swift with `@Model` classes for SwiftData.
    case swiftData = "swiftdata"
}

/// The generation of Xcode whose Objective-C is written (Documentation/Guides/GeneratedSwift.md, "Objective-C").
package enum ObjectiveCStyle: String, CaseIterable, Sendable {
    /// Xcode 7: one header and source for the class, no `fetchRequest`.
    case xcode7
    /// Xcode 8.0 to 8.2: class sources import the classes of destinations.
    case xcode8
    /// Xcode 8.3: a blank line follows each of these imports.
    case xcode8_3 = "xcode8.3"
    /// Xcode 9.0 to 9.2: class sources import their own header only.
    case xcode9
    /// Xcode 9.3 to 12: `fetchRequestWithEntityName:`.
    case xcode9_3 = "xcode9.3"
    /// Xcode 13 and later: `NS_SWIFT_NAME(fetchRequest())`.
    case xcode13

    /// Whether fetch requests are made with `initWithEntityName:`.
    var allocatesFetchRequests: Bool { [.xcode8, .xcode8_3, .xcode9].contains(self) }
}
