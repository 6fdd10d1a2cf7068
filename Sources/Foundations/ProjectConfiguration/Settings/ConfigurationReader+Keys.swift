internal import Diagnostics

extension ConfigurationReader {
    /// A key, and what reads its value.
    typealias Declaration = (key: SettingsKey, read: @Sendable (inout ConfigurationReader, YAMLSubset.Node) -> Void)

    static let declarations: [Declaration] = [
        (
            SettingsKey("version", .formatVersion, summary: "The format of the file; required", example: "1"),
            { $0.readVersion($1) }
        ),
        (
            SettingsKey(
                "rules", .severities, summary: "The severity of rules, by name or code",
                example: "{ordered-to-many: warning}"), { $0.readRules($1) }
        ),
        (
            SettingsKey("enable", .rules, summary: "Rules that are off by default", example: "[optional-scalar]"),
            { for rule in $0.ruleList($1) { $0.configuration.enabled.append(rule) } }
        ),
        (
            SettingsKey("disable", .rules, summary: "Rules that are turned off", example: "[unknown-xml]"),
            { for rule in $0.ruleList($1) { $0.configuration.severities.updateValue(nil, forKey: rule.id) } }
        ),
        (
            SettingsKey(
                "include", .texts, summary: "The only paths that are checked, as patterns", example: "[App]"),
            { $0.configuration.included = $0.texts($1).map(PathPattern.init) }
        ),
        (
            SettingsKey(
                "exclude", .texts, summary: "Paths that are skipped, as patterns", example: "[Pods, \"Tests/**\"]"),
            { $0.configuration.excluded = $0.texts($1).map(PathPattern.init) }
        ),
        (
            SettingsKey(
                "ignore", .pathsByRule, summary: "Paths at which a rule is off, as patterns",
                example: "{missing-inverse: [Legacy]}"), { $0.readIgnored($1) }
        ),
        (
            .choice(
                "profile", of: ProjectSettings.Profile.self,
                summary: "What the models are used for, which enables further rules",
                example: .cloudkit), { $0.configuration.profile = $0.choice($1, "profile") }
        ),
        (
            .choice(
                "versions", of: ProjectSettings.Versions.self,
                summary: "The versions that are checked completely; by default the current one", example: .all),
            { $0.configuration.versions = $0.choice($1, "versions") }
        ),
        (
            SettingsKey(
                "fail-level", .choice(Severity.allCases.map(\.word)),
                summary: "The lowest severity that fails; by default error", example: "warning"),
            { $0.configuration.failLevel = $0.severity($1, allowsOff: false) ?? nil }
        ),
        (
            SettingsKey(
                "baseline", .text,
                summary: "Findings that “lint”, “check”, “breaking” and “cloudkit check” do not report again",
                example: ".modelc-baseline"),
            { reader, value in
                reader.configuration.baseline = reader.text(value)
                reader.configuration.baselineRange = reader.configuration.baseline.map {
                    reader.range(at: value.offset, length: $0.count)
                }
            }
        ),
        (
            SettingsKey(
                "sources", .texts, summary: "The Swift sources that classes are compared with", example: "[Sources/App]"
            ),
            { $0.configuration.sources = $0.texts($1) }
        ),
        (
            SettingsKey(
                "define", .texts, summary: "Conditions of “#if” in Swift sources that are true, or false with “=false”",
                example: "[DEBUG, BETA=false]"), { $0.configuration.definitions = $0.texts($1) }
        ),
        (
            SettingsKey(
                "breaking", .members(breakingDeclarations.map(\.key)), summary: "The settings of “modelc breaking”",
                example: "{strategy: stepwise}"), { $0.readMembers($1, of: "breaking", breakingDeclarations) }
        ),
        (
            SettingsKey(
                "check", .members(checkDeclarations.map(\.key)), summary: "The settings of “modelc check”",
                example: "{without: [format]}"), { $0.readMembers($1, of: "check", checkDeclarations) }
        ),
        (
            SettingsKey(
                "against", .text,
                summary: "The released state that “modelc check” compares with: a branch, which stands for its merge "
                    + "base, another revision, “latest-tag”, a model or a lock", example: "origin/main"),
            { $0.configuration.reference = $0.text($1) }
        ),
        (
            SettingsKey(
                "production", .text, summary: "The schema of CloudKit's production environment",
                example: "production.ckdb"), { $0.configuration.productionSchema = $0.text($1) }
        ),
        (
            SettingsKey(
                "generate", .members([]),
                summary: "Code that Xcode does not write, for “modelc generate” and the plugins",
                example: "{with: [raw, sets]}"), { $0.readGeneration($1) }
        ),
        (
            SettingsKey(
                "required-version", .text, summary: "The only version of modelc that may read the file",
                example: "0.2.0"),
            { reader, value in
                let text = reader.text(value)
                reader.configuration.requiredVersion = text.map {
                    ($0, reader.range(at: value.offset, length: $0.count))
                }
            }
        ),
    ]

    private static let breakingDeclarations: [Declaration] = [
        (
            .choice(
                "strategy", of: ProjectSettings.Strategy.self,
                summary:
                    "How the app migrates: from each version to the current one (direct, the default), or to the next one",
                example: .stepwise), { $0.configuration.strategy = $0.choice($1, "strategy") }
        )
    ]

    private static let checkDeclarations: [Declaration] = [
        (
            .choices(
                "without", of: ProjectSettings.Check.self, summary: "Checks that are left out", example: [.format]),
            { reader, value in
                reader.configuration.omittedChecks = Set(
                    reader.items(value).compactMap { reader.choice($0, "without") })
            }
        )
    ]
}
