import Foundation
import ModelSchema
import Testing

@testable import ModelGraph

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Two versions in one picture. `UPDATE_GOLDENS=1` updates the golden files.
@Suite struct ComparisonTests {
    /// Marks of every kind, and an entity that is only related to one with marks.
    private static var books: GraphComparison {
        var old = GraphMarks()
        old.entities["Book"] = GraphMark(.changed)
        old.properties["Book"] = [
            "age": GraphMark(.removed), "published": GraphMark(.renamed, otherName: "now printed"),
            "author": GraphMark(.changed, details: ["optional: no → yes"]),
        ]
        var newModel = SampleModel.books
        newModel.entities[1].attributes[0].name = "printed"
        newModel.entities[1].attributes[1] = Attribute(name: "pages", type: .integer32)
        newModel.entities[1].relationships[0].isOptional = true
        var shelf = Entity(name: "Shelf")
        shelf.attributes = [Attribute(name: "label", type: .string), Attribute(name: "number", type: .integer16)]
        newModel.entities.append(shelf)
        var new = GraphMarks()
        new.entities["Book"] = GraphMark(.changed)
        new.entities["Shelf"] = GraphMark(.added)
        new.properties["Book"] = [
            "pages": GraphMark(.added), "printed": GraphMark(.renamed, otherName: "was published"),
            "author": GraphMark(.changed, details: ["optional: no → yes"]),
        ]
        new.properties["Shelf"] = ["label": GraphMark(.suspectedRename), "number": GraphMark(.added)]
        return GraphComparison(
            old: ModelGraph(SampleModel.books, title: "Books", marks: old),
            new: ModelGraph(newModel, title: "Books 2", marks: new))
    }

    private static var hostile: GraphComparison {
        func side() -> ModelGraph {
            var marks = GraphMarks()
            for (index, name) in SampleModel.hostileNames.enumerated() {
                let kind = GraphMark.Kind.allCases[index % GraphMark.Kind.allCases.count]
                let mark = GraphMark(kind, otherName: "was \(name)", details: [name])
                marks.entities[name] = mark
                marks.properties[name] = [name: mark, "self": mark]
            }
            return ModelGraph(SampleModel.hostile, title: "a\"b\\<c>", marks: marks)
        }
        return GraphComparison(old: side(), new: side())
    }

    @Test(arguments: GraphFormat.allCases)
    func matchesTheGolden(format: GraphFormat) throws {
        let text = Self.books.text(as: format)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Goldens")
        let file = folder.appendingPathComponent("comparison.\(format.rawValue)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            return try Data(text.utf8).write(to: file)
        }
        #expect(try text == String(contentsOf: file, encoding: .utf8))
        #expect(text == Self.books.text(as: format))
    }

    @Test func unchangedRelatedEntitiesAreShownByName() {
        let graph = Self.books.new
        #expect(graph.entities.map(\.name) == ["Author", "Book", "Item", "Shelf"])
        #expect(graph.entities.map(\.role) == [.neighbor, .shown, .neighbor, .shown])
        #expect(graph.entities[0].rows.isEmpty && graph.entities[0].mark == nil)
        // Item’s relationship to itself is left out: no changed entity is its destination.
        #expect(graph.relationships.map(\.forward.name) == ["books"])
    }

    @Test func marksReachRowsAndBothEndsOfLines() throws {
        let graph = Self.books.old
        let book = try #require(graph.entities.first { $0.name == "Book" })
        #expect(book.rows.map(\.mark?.kind) == [.renamed, .removed, nil])
        let line = try #require(graph.relationships.first)
        #expect(line.forward.mark == nil && line.inverse?.mark?.kind == .changed)
    }

    @Test func everyMarkHasADistinctCharacter() {
        #expect(GraphMark.Kind.allCases.map(\.character) == ["+", "−", "~", ">", "?"])
        #expect(Self.books.kinds == GraphMark.Kind.allCases)
        let svg = Self.books.text(as: .svg)
        for text in [">~ Book<", ">+ Shelf<", ">printed (was published)<", ">~ author<", "optional: no → yes"] {
            #expect(svg.contains(text), "\(text)")
        }
        #expect(svg.contains(">−</text><text"))
    }

    @Test func oldEntitiesAreLeftOfNewOnes() throws {
        let svg = Self.books.text(as: .svg)
        func position(_ title: String) throws -> Double {
            let match = try #require(
                svg.firstMatch(
                    of: try Regex<(Substring, Substring)>("<text x=\"([0-9.]+)\"[^>]*class=\"h2\">\(title)<")))
            return try #require(Double(match.1))
        }
        #expect(try position("Books") < position("Books 2"))
    }

    @Test func longTitlesKeepTheVersionAtTheEnd() {
        let title = SVGComparisonWriter.fittedTitle(
            String(repeating: "folder/", count: 60) + "Books.xcdatamodeld “Books 2”", width: 300)
        #expect(title.hasPrefix("…") && title.hasSuffix("Books.xcdatamodeld “Books 2”"))
        #expect(TextMetrics.width(title, size: 15, isBold: true) <= 300)
        #expect(SVGComparisonWriter.fittedTitle("Books", width: 300) == "Books")
    }

    @Test func equalVersionsYieldANote() {
        let side = ModelGraph(SampleModel.books, title: "Books", marks: GraphMarks())
        #expect(side.entities.isEmpty)
        let comparison = GraphComparison(old: side, new: side)
        for format in GraphFormat.allCases {
            #expect(comparison.text(as: format).contains("No entity differs."), "\(format)")
        }
        #expect(!comparison.text(as: .mermaid).contains("namespace"))
    }

    @Test func hostileNamesAreEscaped() throws {
        let svg = Self.hostile.text(as: .svg)
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        #expect(!svg.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(XMLParser(data: Data(Self.books.text(as: .svg).utf8)).parse())
        for line in Self.hostile.text(as: .dot).split(separator: "\n") where line.contains(" -> ") {
            guard line.hasPrefix("old") || line.hasPrefix("new") else { continue }
            #expect(
                line.wholeMatch(
                    of: #/(?:old|new)\d+ -> (?:old|new)\d+ \[(?:\w+=(?:\w+|"(?:[^"\\]|\\.)*")(?:, )?)+\]/#) != nil,
                "\(line)")
        }
        let forms = try [
            "---", #"title: "(?:[^"\\]|\\.)*""#, "classDiagram", "direction LR", "namespace (?:Old|New) \\{",
            ##"class \w+\["(?:[^"\[\]{}<>&`~:;#]|#\d+;)*"\](?: \{)?"##, #"\}"#,
            " {4}<<(?:abstract|not in the model)>>", #"style \w+ stroke:#[0-9a-f]{6},stroke-width:3px"#,
            ##" {4}(?:[^"{}<>~:;\\#]|#\d+;)+ : (?:[^"{}<>~:;\\#]|#\d+;)*"##, #"\w+ <\|-- \w+"#,
            ##"\w+ (?:"[\d.*]+" --|-->) "[\d.*]+" \w+ : (?:[^"{}<>~:;\\#]|#\d+;)+"##,
        ].map { try Regex($0) }
        for line in Self.hostile.text(as: .mermaid).split(separator: "\n") {
            #expect(forms.contains { (try? $0.wholeMatch(in: line)) ?? nil != nil }, "\(line)")
        }
    }
}
