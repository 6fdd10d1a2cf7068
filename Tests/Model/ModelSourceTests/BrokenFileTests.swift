import Diagnostics
import ModelSchema
import ModelSource
import Testing

@Suite struct BrokenFileTests {
    private func read(_ source: MarkedSource) throws -> ModelDocument {
        try ModelDocument(bytes: source.bytes, path: "m", name: "M")
    }

    @Test func conflictMarkersAreReportedAndOurSideIsRead() throws {
        let source = MarkedSource(
            """
            <model>
            1️⃣<<<<<<< HEAD
                <entity name="Ours"/>
            2️⃣||||||| base
                <entity name="Base"/>
            3️⃣=======
                <entity name="Theirs">
            4️⃣>>>>>>> other
                <entity name="Both" 5️⃣odd="1"/>
            </model>
            """)
        let document = try read(source)
        #expect(document.model.entities.map(\.name) == ["Ours", "Both"])
        #expect(document.diagnostics.map(\.range?.start) == (1...5).map { source($0) })
        #expect(document.diagnostics.prefix(4).allSatisfy { $0.rule == .conflictMarkers && $0.severity == .error })
    }

    @Test func equalSignsInACommentAreNotAConflict() throws {
        let document = try read(MarkedSource("<!--\n=======\n-->\n<model/>"))
        #expect(document.diagnostics.isEmpty)
    }

    @Test func truncatedFilesAreReadUpToTheCut() throws {
        let source = MarkedSource("<model>\n<entity name=\"A\"><attribute name=\"x\"/></entity>\n<entity name=\"B\">1️⃣")
        let document = try read(source)
        #expect(document.model.entities.map(\.name) == ["A", "B"])
        #expect(document.diagnostics.map(\.rule) == [.truncated])
        #expect(document.diagnostics.first?.range?.start == source(1))
    }

    @Test func elementsAfterABrokenTagAreRead() throws {
        let document = try read(
            MarkedSource("<model><entity name=\"A\" x=1/><entity name=\"B\"/><entity name=\"C\" y=\"&nope;\"/></model>")
        )
        #expect(document.diagnostics.contains { $0.rule == .notWellFormed })
        #expect(document.model.entities.map(\.name).contains("B"))
    }

    @Test func xmlEntitiesAreNeitherExpandedNorFetched() throws {
        let document = try read(
            MarkedSource(
                """
                <!DOCTYPE model [
                1️⃣<!ENTITY a "xxxxxxxxxxxxxxxx"><!ENTITY b "&a;&a;&a;">
                <!ENTITY file SYSTEM "file:///etc/passwd">
                <!ENTITY % p SYSTEM "http://localhost/evil.dtd"> %p;
                ]>
                <model><entity name="&b;&file;"/><entity name="&amp;&lt;&#65;"/></model>
                """))
        #expect(document.diagnostics.count { $0.rule == .entityDeclaration } == 4)
        #expect(document.model.entities.last?.name == "&<A")
        #expect(document.model.entities.allSatisfy { $0.name.utf8.count < 10 })
    }

    @Test func deepNestingIsAnErrorNotACrash() throws {
        let text = "<model>" + String(repeating: "<entity>", count: 100_000)
        let document = try read(MarkedSource(text))
        #expect(document.diagnostics.contains { $0.rule == .tooDeep })
    }

    @Test(arguments: ["", "x", "<", "<?xml", "bplist00", "SQLite format 3\u{0}", "<plist/>", "\u{FEFF}"])
    func otherFilesAreRejectedWithAReason(text: String) {
        #expect(throws: ModelDocument.NotAModel.self) {
            try ModelDocument(bytes: Array(text.utf8), path: "m", name: "M")
        }
    }

    @Test func consequencesOfATruncationAreNotReported() throws {
        let whole = "<model><entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>"
        #expect(try read(MarkedSource(whole)).findings(at: .loadable).isEmpty)
        #expect(
            try read(MarkedSource(whole + "</model>")).findings(at: .loadable).map(\.rule) == [.unknownDestination])
    }

    /// Single-line files, large enough for any quadratic algorithm to take minutes. They are identified by name,
    /// because a test prints its arguments.
    private static let hostileFiles = [
        "duplicate entities": "<model>" + String(repeating: "<entity name=\"E\"/>", count: 50_000) + "</model>",
        "unknown elements": "<model>" + String(repeating: "<x y=\"1\"/>", count: 50_000) + "</model>",
        "open tags": "<model>" + String(repeating: "<", count: 200_000),
        "attributes": "<model " + (0..<900).map { "a\($0)=\"1\"" }.joined(separator: " ") + "/>",
    ]

    @Test(arguments: hostileFiles.keys.sorted())
    func hostileSizesAreReadInLinearTime(name: String) throws {
        let document = try read(MarkedSource(try #require(Self.hostileFiles[name])))
        #expect(!(document.diagnostics(at: .loadable)).isEmpty)
    }

    @Test func tagsWithTooManyAttributesAreRejected() {
        let text = "<model " + (0..<20_000).map { "a\($0)=\"1\"" }.joined(separator: " ") + "/>"
        #expect(throws: ModelDocument.NotAModel.self) { try read(MarkedSource(text)) }
    }

    @Test(arguments: [
        "<entity name=\"A\"><!-- <a %@ --></entity>", "<entity name=\"A\"><![CDATA[<a %@]]></entity>",
        "<entity name=\"A\"><?pi <a %@?></entity>", "<entity name=\"A\" versionHashModifier=\"%@\"/>",
        "<entity name=\"A\" versionHashModifier='\" %@'/>",
    ])
    func equalSignsOutsideTagsAreNotAttributes(_ pattern: String) throws {
        let text = pattern.replacing("%@", with: String(repeating: "x == 1 ", count: 2000))
        let document = try read(MarkedSource("<model>\(text)</model>"))
        #expect(document.model.entities.map(\.name) == ["A"])
        #expect(!document.diagnostics.contains { $0.severity == .error })
    }

    @Test func laterTagsWithTooManyAttributesAreRejected() throws {
        let attributes = (0..<2000).map { "a\($0)='1'" }.joined(separator: " ")
        for head in ["<!-- x -->", "<a b='", "<a b=\"'\">", "<![CDATA[<]]>", "<? a ?>"] {
            let text = "<model>\(head)<entity \(attributes)/></model>"
            #expect(throws: ModelDocument.NotAModel.self, "\(head)") { try read(MarkedSource(text)) }
        }
    }
}
