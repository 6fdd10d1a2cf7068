import Testing

@testable import CodeGeneration

/// Templates of SwiftGen and mogenerator, searched for features without a counterpart.
@Suite struct ForeignTemplateTests {
    private func missing(_ text: String, _ tool: TemplateTool) -> [String] {
        ForeignTemplate(Array(text.utf8), tool: tool).uses.compactMap { use, counterpart in
            if case .none = counterpart { use.name } else { nil }
        }
    }

    @Test func loopVariablesResolveToElementPaths() {
        let text =
            "{% for m in models %}{% for n, e in m.entities %}{{ e.superEntity.className }}{% endfor %}{% endfor %}"
        let uses = ForeignTemplate(Array(text.utf8), tool: .swiftgen).uses
        let variable = uses.last { $0.use.kind == .variable }
        #expect(variable?.use.name == "e.superEntity.className")
        #expect(variable?.use.path == "models[].entities[].superEntity.className")
        #expect(variable?.counterpart == .template("superclassName"))
    }

    @Test func userInfoKeysMapToFeatures() {
        let stencil = ForeignTemplate(Array("{{ attribute.userInfo.RawType }}".utf8), tool: .swiftgen).uses
        #expect(stencil.map(\.counterpart) == [.option("--with raw, which reads the key RawType")])
        let misc = ForeignTemplate(Array("<$Attribute.userInfo.attributeValueClassName$>".utf8), tool: .mogenerator)
            .uses
        #expect(misc.map(\.counterpart) == [.option("--with codable, which reads the key attributeValueClassName")])
    }

    @Test func constructsBeyondMustacheHaveNoCounterpart() {
        #expect(
            missing("{% if a.isOptional and b == 1 %}{% elif a.unknownName %}{% endif %}", .swiftgen) == [
                "b", "==", "elif", "a.unknownName",
            ])
        #expect(
            missing("{% macro m x %}{% endmacro %}{% call m y %}{% macro n %}{% endmacro %}{% call n %}", .swiftgen)
                == ["m", "y"])
        #expect(
            missing("<$if TemplateVar.arc$><$elseif optional$><$endif$>", .mogenerator) == [
                "TemplateVar.arc", "elseif",
            ])
    }

    @Test(arguments: [
        ("{{ a", TemplateTool.swiftgen), ("{% if a %}", .swiftgen), ("{% endif %}", .swiftgen),
        ("{% for a in b %}{% endif %}", .swiftgen),
        ("<$a", .mogenerator), ("<$if a$>", .mogenerator), ("<$endif$>", .mogenerator),
        ("<$foreach A b do$><$endif$>", .mogenerator),
    ])
    func brokenTemplatesAreReported(text: String, tool: TemplateTool) {
        #expect(!ForeignTemplate(Array(text.utf8), tool: tool).problems.isEmpty)
    }

    @Test(arguments: TemplateTool.allCases)
    func noInputTraps(tool: TemplateTool) {
        let text = Array(
            "{% for a, b in c.d where e %}{{ f|g:\"h\" }}{%- call i -%}{# j #}<$foreach K l do$><$if m == \"n$>".utf8)
        for start in text.indices {
            for end in start...text.count { _ = ForeignTemplate(Array(text[start..<end]), tool: tool) }
        }
    }
}
