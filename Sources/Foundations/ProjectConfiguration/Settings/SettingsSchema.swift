package import Diagnostics

/// The JSON Schema of `.modelc.yml`.
package struct SettingsSchema {
    private let keys: [SettingsKey]
    private let rules: RuleCatalog

    /// Creates the schema of some keys, whose values can name rules.
    package init(_ keys: [SettingsKey], rules: RuleCatalog) {
        self.keys = keys
        self.rules = rules
    }

    /// The schema as JSON.
    package var json: JSONValue {
        .object(
            [
                ("$schema", .string("http://json-schema.org/draft-07/schema#")),
                ("title", .string("The settings of modelc, .modelc.yml")),
            ] + Self.members(of: keys, required: ["version"])
                + [
                    (
                        "definitions",
                        .object([
                            ("rule", Self.words(rules.configurable.flatMap { [$0.id.rawValue, $0.code] })),
                            ("severity", Self.words(Severity.allCases.map(\.word) + ["off"])),
                            ("texts", Self.oneOrMore(.object([("type", .string("string"))]))),
                        ])
                    )
                ])
    }

    private static func members(
        of keys: [SettingsKey], required: [String] = []
    ) -> [(key: String, value: JSONValue)] {
        let properties = keys.map { key in
            var members = schema(of: key.value)
            members.insert(("description", .string(key.summary)), at: 0)
            return (key: key.name, value: JSONValue.object(members))
        }
        return [("type", .string("object")), ("additionalProperties", .bool(false))]
            + (required.isEmpty ? [] : [("required", .array(required.map { .string($0) }))])
            + [("properties", .object(properties))]
    }

    private static func schema(of value: SettingsKey.Value) -> [(key: String, value: JSONValue)] {
        switch value {
        case .formatVersion: return [("const", .integer(1))]
        // The reader takes numbers and Booleans as strings.
        case .text: return [("type", .array(["string", "number", "boolean"].map { .string($0) }))]
        case .texts: return [("$ref", .string("#/definitions/texts"))]
        case .choice(let list): return [("enum", .array(list.map { .string($0) }))]
        case .choices(let list): return alternatives(words(list))
        case .rules: return alternatives(reference("rule"))
        case .severities: return mapping(to: reference("severity"))
        case .pathsByRule: return mapping(to: reference("texts"))
        case .members(let keys): return members(of: keys)
        }
    }

    private static func mapping(to value: JSONValue) -> [(key: String, value: JSONValue)] {
        [
            ("type", .string("object")), ("propertyNames", reference("rule")), ("additionalProperties", value),
        ]
    }

    private static func alternatives(_ item: JSONValue) -> [(key: String, value: JSONValue)] {
        [("anyOf", .array([item, .object([("type", .string("array")), ("items", item)])]))]
    }

    private static func oneOrMore(_ item: JSONValue) -> JSONValue { .object(alternatives(item)) }

    private static func words(_ list: [String]) -> JSONValue {
        .object([("enum", .array(list.map { .string($0) }))])
    }

    private static func reference(_ name: String) -> JSONValue {
        .object([("$ref", .string("#/definitions/\(name)"))])
    }
}
