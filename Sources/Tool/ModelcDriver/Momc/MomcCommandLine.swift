internal import Diagnostics

/// The command line of Apple's `momc`, as build systems call it (Documentation/Formats/MomcCommandLine.md, 1 and 2).
struct MomcCommandLine {
    /// The kind of output.
    enum Action: String {
        /// A `.momd` or `.mom`.
        case compile
        /// Swift files.
        case generate
    }

    var action = Action.compile
    var isDryRun = false
    var moduleName: String?
    /// The rules whose warnings are silenced.
    var silencedRules: Set<RuleID> = []
    var silencesAllWarnings = false
    var input = ""
    var output = ""

    /// Parses the arguments without the program's name. Options without effect here - SDK, deployment targets, the
    /// version of Swift - are accepted and ignored.
    init(_ arguments: [String]) throws(AppleCommandLine.InvalidArguments) {
        var line = AppleCommandLine(arguments)
        while let option = line.nextOption() {
            switch option {
            case "--action":
                let name = try line.value()
                guard let action = Action(rawValue: name) else {
                    throw AppleCommandLine.InvalidArguments(
                        message: "unknown action “\(name)”; there are compile and generate")
                }
                self.action = action
            case "--dry-run": isDryRun = true
            case "--module": moduleName = try line.value()
            case "--sdkroot", "--swift-version", "--language": try line.value()
            case "--no-warnings", "-MOMC_NO_WARNINGS": silencesAllWarnings = true
            case "--no-inverse-relationship-warnings", "-MOMC_NO_INVERSE_RELATIONSHIP_WARNINGS":
                silencedRules.insert(.missingInverse)
            case "--no-max-property-count-warnings", "-MOMC_NO_MAX_PROPERTY_COUNT_WARNINGS":
                silencedRules.insert(.tooManyProperties)
            case "--no-delete-rule-warnings", "-MOMC_NO_DELETE_RULE_WARNINGS":
                silencedRules.insert(.noActionDeleteRule)
            case "--suppress-inverse-transient-error", "-MOMC_SUPPRESS_INVERSE_TRANSIENT_ERROR":
                silencedRules.insert(.transientInverse)
            default: try line.ignore(definitions: "-XD_MOMC_")
            }
        }
        (input, output) = try line.inputAndOutput(
            usage: "momc [options] <model>.xcdatamodeld|.xcdatamodel <output>")
    }
}
