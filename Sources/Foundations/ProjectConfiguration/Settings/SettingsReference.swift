/// The page `Documentation/Guides/Settings.md`.
package struct SettingsReference {
    private let keys: [SettingsKey]

    /// Creates the page of some keys.
    package init(_ keys: [SettingsKey]) { self.keys = keys }

    /// The page.
    package var markdown: String {
        let example = keys.map { "\($0.name): \($0.example)\n" }.joined()
        return """
            # Settings

            <!-- Written by `modelc config reference`; `UPDATE_GOLDENS=1 swift test --filter SettingsPage` updates it. -->

            The keys of `.modelc.yml`, which every command that checks models reads from the working directory or the nearest folder above it, up
            to the root of the repository. Paths and patterns are relative to the file's folder. Options on the command line take precedence.
            `modelc config schema > .modelc.schema.json` writes a JSON Schema; with `# yaml-language-server: $schema=.modelc.schema.json` as the
            first line of the file, editors complete the keys and their values.

            | Key | Value | Meaning | Example |
            | --- | --- | --- | --- |
            \(Self.rows(keys, prefix: "").joined(separator: "\n"))

            A rule is named by its name or code ([Rules.md](Rules.md)); severities are `error`, `warning`, `note` and `off`. In patterns, `*` stands
            for any name and `**` for any path. The syntax that is read is described in
            [ContinuousIntegration.md](ContinuousIntegration.md#settings). A file with every key:

            <!-- file: .modelc.yml -->
            ```yaml
            \(example)```

            """
    }

    private static func rows(_ keys: [SettingsKey], prefix: String) -> [String] {
        keys.flatMap { key in
            let name = prefix + key.name
            let row =
                "| `\(name)` | \(values(key.value)) | \(code(key.summary)) | `\(key.name): \(key.example)` |"
            guard case .members(let members) = key.value else { return [row] }
            return [row] + rows(members, prefix: name + ".")
        }
    }

    /// Returns a text with “…” as code.
    private static func code(_ text: String) -> String {
        text.replacing("“", with: "`").replacing("”", with: "`")
    }

    private static func values(_ value: SettingsKey.Value) -> String {
        func words(_ list: [String]) -> String { list.map { "`\($0)`" }.joined(separator: ", ") }
        return switch value {
        case .formatVersion: "`1`"
        case .text: "string"
        case .texts: "string or list of strings"
        case .choice(let list): words(list)
        case .choices(let list): "one or a list of \(words(list))"
        case .rules: "rule or list of rules"
        case .severities: "mapping of rules to severities"
        case .pathsByRule: "mapping of rules to patterns"
        case .members: "mapping"
        }
    }
}
