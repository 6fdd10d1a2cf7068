package import ArgumentParser

/// `modelc config`.
package struct ConfigCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Describe the settings file, .modelc.yml.",
        discussion: """
            EXAMPLES
              modelc config schema > .modelc.schema.json
              modelc config reference
            """,
        subcommands: [ConfigSchemaCommand.self, ConfigReferenceCommand.self]
    )

    package init() {}
}

/// `modelc config schema`: prints the JSON Schema of `.modelc.yml`.
package struct ConfigSchemaCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of .modelc.yml, with which editors complete it.",
        discussion: """
            Editors with the YAML language server read the schema that the first line of the file names:

              # yaml-language-server: $schema=.modelc.schema.json

            EXAMPLES
              modelc config schema > .modelc.schema.json
            """
    )

    package init() {}
}

/// `modelc config reference`: prints all keys of `.modelc.yml`.
package struct ConfigReferenceCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Print all keys of .modelc.yml, as Markdown.")

    package init() {}
}
