import Diagnostics

/// Cases for the rules about entities.
enum EntityCases {
    private static func attributes(_ count: Int, _ prefix: String) -> String {
        (1...count).map { "<attribute name=\"\(prefix)\($0)\" attributeType=\"String\"/>" }.joined()
    }

    static let all = [
        RuleCase(
            rule: .abstractWithoutChildren, finding: "<entity name=\"A\" ‹isAbstract=\"YES\"›>⟦⟧</entity>",
            message: "“A” is abstract, and no entity inherits from it",
            clean: "<entity name=\"A\" isAbstract=\"YES\"/><entity name=\"B\" parentEntity=\"A\">⟦⟧</entity>"),
        RuleCase(
            rule: .singleTableInheritanceWidth,
            finding: "<entity ‹name=\"A\"›>\(attributes(50, "a"))⟦⟧</entity>"
                + "<entity name=\"B\" parentEntity=\"A\">\(attributes(51, "b"))</entity>",
            message: "“A” and its 1 subentities share a table of 101 columns",
            clean: "<entity name=\"A\">\(attributes(50, "a"))⟦⟧</entity>"
                + "<entity name=\"B\" parentEntity=\"A\">\(attributes(50, "b"))</entity>"),
        RuleCase(
            rule: .unusedEntity, finding: "<entity ‹name=\"A\"›>⟦⟧</entity>",
            message: "“A” is not referenced by the rest of the model",
            clean: "<entity name=\"A\" representedClassName=\"A\">⟦⟧</entity>"),
        RuleCase(
            rule: .duplicateClass,
            finding:
                "<entity name=\"A\" representedClassName=\"C\"/><entity name=\"B\" ‹representedClassName=\"C\"›>⟦⟧</entity>",
            message: "“B” has the same class as “A”: “C”",
            clean: "<entity name=\"A\" representedClassName=\"C\"/>"
                + "<entity name=\"B\" parentEntity=\"A\" representedClassName=\"C\">⟦⟧</entity>"
                + "<entity name=\"D\"/><entity name=\"E\"/>"),
        RuleCase(
            rule: .codegenModuleMismatch,
            finding: "<entity name=\"A\" ‹representedClassName=\"App.A\"› codeGenerationType=\"class\">⟦⟧</entity>",
            message: "looked up in the module “App”",
            clean: "<entity name=\"A\" representedClassName=\"App.A\">⟦⟧</entity>"
                + "<entity name=\"B\" representedClassName=\".B\" codeGenerationType=\"class\"/>",
            fixed: "<entity name=\"A\" representedClassName=\".A\" codeGenerationType=\"class\">⟦⟧</entity>"),
    ]
}
