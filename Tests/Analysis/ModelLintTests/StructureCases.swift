import Diagnostics
import ModelLint

/// Cases for the rules about the model as a whole.
enum StructureCases {
    static let all = [
        RuleCase(
            rule: .toolsVersionMismatch,
            finding:
                "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"/></entity>",
            message: "tools version is Xcode 9.0, but derived attributes need Xcode 11",
            clean: "<entity name=\"A\"><fetchIndex name=\"i\"/></entity>",
            fixed:
                "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"/></entity>",
            modelAttributes: "‹minimumToolsVersion=\"Xcode 9.0\"›",
            fixedModelAttributes: "minimumToolsVersion=\"Automatic\""),
        RuleCase(
            rule: .versionNaming, finding: "", message: "the current version is “Model”, but “Model 2” comes last",
            clean: "", versionNames: ["Model", "Model 2"]
        ),
        RuleCase(
            rule: .unusedVersionGap, finding: "", message: "there are versions 2 and 4, but none between them",
            clean: "", versionNames: ["Model", "Model 2", "Model 4"]
        ),
        RuleCase(
            rule: .unusedVersionGap, finding: "", message: "there are versions 2 and 9223372036854775807",
            clean: "", versionNames: ["Model 2", "Model 9223372036854775807", "M 9223372036854775807"]
        ),
    ]
}
