internal import Diagnostics

/// The command line of Apple's `momc`, as build systems call it (cli-lint-plugins.md, "momc compatibility facts").
struct MomcArguments {
    /// What is made.
    enum Action: String {
        /// A `.momd` or `.mom`.
        case compile
        /// Swift files.
        case generate
    }

    /// A command line that cannot be understood.
    struct Wrong: Error {
        var message: String
    }

    var action = Action.compile
    var isDryRun = false
    var moduleName: String?
    /// The rules whose warnings are wanted no more.
    var silencedRules: Set<RuleID> = []
    var silencesAllWarnings = false
    var input = ""
    var output = ""

    /// Parses the arguments without the program's name. Options that change nothing here - SDK, deployment targets, the
    /// version of Swift - are taken and forgotten.
    init(_ arguments: [String]) throws(Wrong) {
        var paths: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // The forms `--option value` and `--option=value` are both in use.
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            let option = argument.hasPrefix("-") ? parts[0] : ""
            func value() throws(Wrong) -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = rest.popFirst() else { throw Wrong(message: "\(option) needs a value") }
                return next
            }
            switch option {
            case "":
                paths.append(argument)
            case "--action":
                let name = try value()
                guard let action = Action(rawValue: name) else {
                    throw Wrong(message: "unknown action “\(name)”; there are compile and generate")
                }
                self.action = action
            case "--dry-run": isDryRun = true
            case "--module": moduleName = try value()
            case "--sdkroot", "--swift-version", "--language": _ = try value()
            case "--no-warnings", "-MOMC_NO_WARNINGS": silencesAllWarnings = true
            case "--no-inverse-relationship-warnings", "-MOMC_NO_INVERSE_RELATIONSHIP_WARNINGS":
                silencedRules.insert(.missingInverse)
            case "--no-max-property-count-warnings", "-MOMC_NO_MAX_PROPERTY_COUNT_WARNINGS":
                silencedRules.insert(.tooManyProperties)
            case "--no-delete-rule-warnings", "-MOMC_NO_DELETE_RULE_WARNINGS":
                silencedRules.insert(.noActionDeleteRule)
            case "--suppress-inverse-transient-error", "-MOMC_SUPPRESS_INVERSE_TRANSIENT_ERROR":
                silencedRules.insert(.transientInverse)
            default:
                if option.hasPrefix("--"), option.hasSuffix("-deployment-target") {
                    _ = try value()
                } else if !option.hasPrefix("-XD_MOMC_") {
                    throw Wrong(message: "unknown option \(option)")
                }
            }
        }
        guard paths.count == 2 else {
            throw Wrong(message: "usage: momc [options] <model>.xcdatamodeld|.xcdatamodel <output>")
        }
        input = paths[0]
        output = paths[1]
    }
}
