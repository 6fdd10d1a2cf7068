import Testing

@testable import CodeGeneration

/// The rules of mustache(5) and the cases of its specification (mustache/spec 1.4: comments, delimiters, interpolation,
/// inverted, partials, sections), with names used in modelc's templates.
@Suite struct MustacheTests {
    private func render(_ template: String, partials: [String: String] = [:]) throws -> String {
        var sources = partials.mapValues { Array($0.utf8) }
        sources["main"] = Array(template.utf8)
        let nodes = try MustacheParser(sources: sources, checkName: { _, _ in nil }).parse("main")
        return MustacheRenderer.render(nodes, Self.object)
    }

    private static let object: RenderObject = {
        let items = ["1", "2", "3"].map { text in RenderObject { $0 == .name ? .string(text) : nil } }
        return RenderObject { name in
            switch name {
            case .name: .string("outer")
            case .className: .string("& \" < >")
            case .isOptional: .bool(true)
            case .isOrdered: .bool(false)
            case .attributes: .list(items)
            case .relationships: .list([])
            case .defaultValue: .string("")
            case .info: .object(RenderObject(free: ["key with dots": "x", "doc": "text"]))
            default: nil
            }
        }
    }()

    @Test(arguments: [
        // Interpolation: all forms are equivalent, nothing is escaped, missing values are empty.
        ("{{name}}|{{{name}}}|{{&name}}|{{ name }}", "outer|outer|outer|outer"),
        ("{{className}}", "& \" < >"),
        ("a{{objcName}}b", "ab"),
        ("  {{name}}\n", "  outer\n"),
        ("{{info.doc}}|{{info.nothing}}|{{name.doc}}", "text||"),
        ("{{isOptional}}", "true"),
        // Sections.
        ("{{#isOptional}}yes{{/isOptional}}{{#isOrdered}}no{{/isOrdered}}", "yes"),
        ("{{^isOptional}}yes{{/isOptional}}{{^isOrdered}}no{{/isOrdered}}", "no"),
        ("{{#attributes}}{{name}},{{/attributes}}", "1,2,3,"),
        ("{{#attributes}}{{className}}{{/attributes}}", "& \" < >& \" < >& \" < >"),
        ("{{#relationships}}x{{/relationships}}{{^relationships}}none{{/relationships}}", "none"),
        ("{{#defaultValue}}x{{/defaultValue}}{{^objcName}}y{{/objcName}}", "y"),
        ("{{#name}}<{{.}}>{{/name}}", "<outer>"),
        ("{{#info}}{{doc}}{{/info}}", "text"),
        ("{{#attributes}}{{#isOptional}}{{name}}{{/isOptional}}{{/attributes}}", "123"),
        // A tag alone on a line removes the line, others do not.
        ("a\n{{#isOptional}}\nb\n{{/isOptional}}\nc\n", "a\nb\nc\n"),
        ("a\n  {{#isOptional}}  \nb\n  {{/isOptional}}\nc", "a\nb\nc"),
        ("a {{#isOptional}}\nb{{/isOptional}}\n", "a \nb\n"),
        ("a\r\n{{#isOptional}}\r\nb\r\n{{/isOptional}}\r\nc", "a\r\nb\r\nc"),
        ("  {{#isOptional}}x{{/isOptional}}\n", "  x\n"),
        ("{{#isOptional}}\n{{#isOptional}}\nx\n{{/isOptional}}\n{{/isOptional}}", "x\n"),
        // Comments.
        ("a{{! gone }}b", "ab"), ("a\n{{! gone\nwith lines }}\nb", "a\nb"), ("a {{!x}}\nb", "a \nb"),
        // Delimiters.
        ("{{=<% %>=}}<%name%>{{name}}", "outer{{name}}"),
        ("{{=| |=}}\n|name| |={{ }}=|{{name}}", "outer outer"),
        ("a\n{{=@ @=}}\nb", "a\nb"),
    ])
    func rendersAsSpecified(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        ("[{{>p}}]", "x", "[x]"),
        ("{{>p}}\n", "x\n", "x\n"),
        ("  {{>p}}\nend", "a\nb\n", "  a\n  b\nend"),
        ("a {{>p}}\n", "x\ny", "a x\ny\n"),
        ("{{#attributes}}{{>p}}{{/attributes}}", "<{{name}}>", "<1><2><3>"),
    ])
    func includesPartials(template: String, partial: String, expected: String) throws {
        #expect(try render(template, partials: ["p": partial]) == expected)
    }

    @Test(arguments: [
        "{{", "{{name", "{{#name}}", "{{/name}}", "{{#name}}{{/type}}", "{{}}", "{{a b}}", "{{=a=}}", "{{{name}}",
        "{{>q}}",
    ])
    func rejectsInvalidTemplates(template: String) {
        #expect(throws: MustacheProblem.self) { try render(template) }
    }

    @Test func limitsNestingDepth() {
        let deep = String(repeating: "{{#name}}", count: 10_000) + String(repeating: "{{/name}}", count: 10_000)
        #expect(throws: MustacheProblem.self) { try render(deep) }
        #expect(throws: MustacheProblem.self) { try render("{{>p}}", partials: ["p": "{{>q}}", "q": "{{>p}}"]) }
    }
}
