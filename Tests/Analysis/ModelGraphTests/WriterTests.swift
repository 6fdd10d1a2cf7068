import Foundation
import ModelSchema
import Testing

@testable import ModelGraph

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The output of the writers. `UPDATE_GOLDENS=1` updates the golden files.
@Suite struct WriterTests {
    @Test(arguments: [GraphFormat.svg, .mermaid, .dot])
    func graphsMatchTheirGoldens(format: GraphFormat) throws {
        let text = ModelGraph(SampleModel.books, title: "Books").text(as: format)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Goldens")
        let file = folder.appendingPathComponent("books.\(format.rawValue)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            return try Data(text.utf8).write(to: file)
        }
        #expect(try text == String(contentsOf: file, encoding: .utf8))
    }

    @Test(arguments: [SampleModel.books, SampleModel.hostile, Model(name: "Empty")])
    func svgIsWellFormed(model: Model) {
        let text = ModelGraph(model, title: model.entities.first?.name ?? "Empty").text(as: .svg)
        #expect(XMLParser(data: Data(text.utf8)).parse())
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(!text.contains("<b>"))
    }

    @Test func outputIsDeterministic() {
        for format in GraphFormat.allCases {
            let first = ModelGraph(SampleModel.hostile, title: "H").text(as: format)
            #expect(first == ModelGraph(SampleModel.hostile, title: "H").text(as: format))
            #expect(first.hasSuffix("\n"))
        }
    }

    /// Every line of Mermaid has one of a few forms, in which a name cannot end its context.
    @Test func mermaidNamesAreEscaped() throws {
        let text = ModelGraph(SampleModel.hostile, title: "a\"b\\").text(as: .mermaid)
        let forms = try [
            "---", #"title: "(?:[^"\\]|\\.)*""#, "classDiagram", "direction LR",
            ##"class \w+\["(?:[^"\[\]{}<>&`~:;#]|#\d+;)*"\](?: \{)?"##, #"\}"#,
            " {4}<<(?:abstract|not in the model)>>",
            ##" {4}(?:[^"{}<>~:;\\#]|#\d+;)+ : (?:[^"{}<>~:;\\#]|#\d+;)*"##, #"\w+ <\|-- \w+"#,
            ##"\w+ (?:"[\d.*]+" --|-->) "[\d.*]+" \w+ : (?:[^"{}<>~:;\\#]|#\d+;)+"##,
        ].map { try Regex($0) }
        for line in text.split(separator: "\n") {
            #expect(forms.contains { (try? $0.wholeMatch(in: line)) ?? nil != nil }, "\(line)")
        }
    }

    /// According to Mermaid's own parser, these are not names.
    @Test(arguments: ["o", "style", "namespace", "call", "href", "classDiagram", "accTitle", "_self", "É", "1a", ""])
    func mermaidKeywordsAreNotIdentifiers(name: String) {
        var model = Model(name: "M")
        model.entities = [Entity(name: name), Entity(name: "entity1")]
        let text = ModelGraph(model, title: "M").text(as: .mermaid)
        #expect(text.contains("class entity1[") && text.contains("class entity1_2[\"entity1\"]"))
    }

    @Test func dotNamesAreEscaped() {
        let text = ModelGraph(SampleModel.hostile, title: "a\"b\\").text(as: .dot)
        for line in text.split(separator: "\n") where line.hasPrefix("e") && line.contains(" -> ") {
            #expect(
                line.wholeMatch(of: #/e\d+ -> e\d+ \[(?:\w+=(?:\w+|"(?:[^"\\]|\\.)*")(?:, )?)+\]/#) != nil, "\(line)")
        }
    }

    @Test func outputOfLargeModelsIsBounded() {
        var model = Model(name: "M")
        var hub = Entity(name: "Hub")
        hub.attributes = (0..<2000).map { Attribute(name: "a\($0)", type: .string) }
        hub.relationships = (0..<300).map { Relationship(name: "r\($0)", destinationName: "Hub") }
        model.entities = [hub]
        for index in 0..<100 {
            var entity = Entity(name: "E\(index)")
            entity.parentName = "E\((index + 99) % 100)"
            entity.relationships = [Relationship(name: "hub", destinationName: "Hub")]
            model.entities.append(entity)
        }
        let text = ModelGraph(model, title: "M").text(as: .svg)
        #expect(text.contains("… and 1751 more"))
        #expect(XMLParser(data: Data(text.utf8)).parse())
    }

    @Test func textFitsItsBox() {
        let narrow = TextMetrics.fitted("internationalisation", width: 60, size: 12)
        #expect(narrow.hasSuffix("…") && TextMetrics.width(narrow, size: 12) <= 60)
        #expect(TextMetrics.fitted("short", width: 60, size: 12) == "short")
        #expect(TextMetrics.fitted(String(repeating: "x", count: 1_000_000), width: 60, size: 12).count < 15)
    }

    @Test(arguments: [(0.0, "0"), (-0.04, "0"), (1.25, "1.3"), (-0.5, "-0.5"), (1200, "1200"), (.infinity, "0")])
    func numbersAreRounded(value: Double, expected: String) {
        #expect(SVGElements.number(value) == expected)
    }
}
