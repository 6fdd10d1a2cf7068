internal import Diagnostics
internal import ModelLint
internal import ProjectConfiguration

extension ConfigSchemaCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.output(SettingsSchema(settingsKeys, rules: RuleRegistry.catalog).json.text + "\n")
        return .success
    }
}

extension ConfigReferenceCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.output(SettingsReference(settingsKeys).markdown)
        return .success
    }
}

/// The declarations of all keys, with those of `generate:`.
private var settingsKeys: [SettingsKey] {
    ProjectSettings.keys.map { key in
        guard key.name == "generate" else { return key }
        var key = key
        key.value = .members(GenerationSettings.keys)
        return key
    }
}
