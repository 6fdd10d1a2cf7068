/// The declaration of a key of `.modelc.yml`: the parser, the reference page and the JSON Schema are made from it.
package struct SettingsKey: Sendable {
    /// The kind of value.
    package indirect enum Value: Sendable {
        /// The number of the format.
        case formatVersion
        case text
        /// A string or a list of strings.
        case texts
        /// One of several words.
        case choice([String])
        /// One or several of several words.
        case choices([String])
        /// A rule or a list of rules.
        case rules
        /// A mapping from rules to severities.
        case severities
        /// A mapping from rules to paths.
        case pathsByRule
        /// A mapping with declared keys.
        case members([SettingsKey])
    }

    /// The key.
    package var name: String
    /// The kind of its value.
    package var value: Value
    /// The meaning, as a sentence without a period.
    package var summary: String
    /// A value, as YAML within a line.
    package var example: String

    /// Creates a declaration.
    ///
    /// - Parameters:
    ///   - summary: The meaning, as a sentence without a period.
    ///   - example: A value, as YAML within a line.
    package init(_ name: String, _ value: Value, summary: String, example: String) {
        self.name = name
        self.value = value
        self.summary = summary
        self.example = example
    }

    /// Returns the declaration of a key that has one of a type's values.
    package static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of type: Choice.Type, summary: String, example: Choice
    ) -> SettingsKey where Choice.RawValue == String {
        SettingsKey(name, .choice(type.allCases.map(\.rawValue)), summary: summary, example: example.rawValue)
    }

    /// Returns the declaration of a key that has some of a type's values.
    package static func choices<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of type: Choice.Type, summary: String, example: [Choice]
    ) -> SettingsKey where Choice.RawValue == String {
        let values = example.map(\.rawValue).joined(separator: ", ")
        return SettingsKey(name, .choices(type.allCases.map(\.rawValue)), summary: summary, example: "[\(values)]")
    }
}
