package import ArgumentParser

/// `modelc explain`: prints what a rule looks for, why, and what to do about it.
package struct ExplainCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain a rule of lint: what it looks for, why, and what to do.")

    @Argument(help: "The name or code of a rule.", completion: .rules)
    var rule: String

    @Option(help: "The output format: text or markdown.")
    var format = ExplainCommand.Format.text

    package init() {}
}

/// `modelc rules`: lists all rules.
package struct RulesCommand: DriverCommand {
    package static let configuration = CommandConfiguration(commandName: "rules", abstract: "List the rules of lint.")

    @Option(help: "The output format: text, json or markdown.")
    var format = RulesCommand.Format.text

    package init() {}
}

extension RulesCommand.Format: ExpressibleByArgument {}

extension ExplainCommand.Format: ExpressibleByArgument {}
