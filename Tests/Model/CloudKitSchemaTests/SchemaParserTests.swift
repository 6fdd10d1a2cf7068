import CloudKitSchema
import Diagnostics
import Testing

/// The schema language (Documentation/Formats/CloudKitSchema.md, 1).
@Suite struct SchemaParserTests {
    private func field(_ definition: String) throws -> RecordField {
        let schema = try #require(SchemaText.schema("DEFINE SCHEMA RECORD TYPE T (f \(definition));"), "\(definition)")
        return try #require(schema.recordTypes.first?.fields.first)
    }

    @Test(arguments: [
        ("ASSET", FieldType(.asset)), ("BYTES", FieldType(.bytes)), ("DOUBLE", FieldType(.double)),
        ("INT64", FieldType(.int64)), ("LOCATION", FieldType(.location)), ("REFERENCE", FieldType(.reference)),
        ("STRING", FieldType(.string)), ("TIMESTAMP", FieldType(.timestamp)), ("string", FieldType(.string)),
        ("NUMBER", FieldType(.number(preferred: nil))),
        ("NUMBER PREFERRED AS INT64", FieldType(.number(preferred: .int64))),
        ("NUMBER PREFERRED AS DOUBLE", FieldType(.number(preferred: .double))),
        ("LIST<REFERENCE>", FieldType(.reference, isList: true)),
        ("LIST < NUMBER PREFERRED AS DOUBLE >", FieldType(.number(preferred: .double), isList: true)),
        ("ENCRYPTED BYTES", FieldType(.bytes, isEncrypted: true)),
        ("ENCRYPTED STRING", FieldType(.string, isEncrypted: true)),
        ("ENCRYPTED DOUBLE", FieldType(.double, isEncrypted: true)),
        ("ENCRYPTED INT64", FieldType(.int64, isEncrypted: true)),
        ("ENCRYPTED LOCATION", FieldType(.location, isEncrypted: true)),
        ("ENCRYPTED TIMESTAMP", FieldType(.timestamp, isEncrypted: true)),
        ("LIST<ENCRYPTED STRING>", FieldType(.string, isEncrypted: true, isList: true)),
    ])
    func readsFieldTypes(_ text: String, _ type: FieldType) throws {
        #expect(try field(text).type == type)
    }

    @Test func readsOptionsInAnyOrderAndCase() throws {
        #expect(try field("STRING SORTABLE queryable").options == [.queryable, .sortable])
        #expect(try field("STRING Searchable").options == [.searchable])
    }

    @Test func readsRolesGrantsAndCommentsAnywhere() throws {
        let text = """
            // exported by hand
            -- another comment
            define /* inside */ schema
              CREATE ROLE moderator;
              RECORD TYPE Post (
                GRANT READ, write TO moderator, -- grants may come first
                type STRING,
                "order" INT64, /* * / */
                GRANT CREATE TO "_icloud", "___recordID" REFERENCE QUERYABLE
              );
              RECORD TYPE Empty ();
            """
        for variant in [text, text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text] {
            let schema = try #require(SchemaText.schema(variant))
            #expect(schema.roles.map(\.name) == ["moderator"])
            #expect(schema.recordTypes.map(\.name) == ["Post", "Empty"])
            let post = schema.recordTypes[0]
            #expect(post.fields.map(\.name) == ["type", "order", "___recordID"])
            #expect(
                post.grants == [Grant([.read, .write], to: "moderator"), Grant([.create], to: "_icloud")])
        }
    }

    @Test func quotedAndUnquotedNamesAreEqual() throws {
        let quoted = SchemaText.schema("DEFINE SCHEMA RECORD TYPE \"CD_A\" (\"CD_title\" STRING);")
        #expect(quoted != nil)
        #expect(quoted == SchemaText.schema("DEFINE SCHEMA RECORD TYPE CD_A (CD_title STRING);"))
    }

    struct Problem: Sendable, CustomTestStringConvertible {
        var text: String
        var rule: RuleID
        var message: String
        /// The line and column of the first finding.
        var line: Int
        var column: Int
        var severity = Severity.error
        var testDescription: String { message }
    }

    private static let problems = [
        Problem(text: "", rule: .cloudkitSyntax, message: "it is empty", line: 1, column: 1),
        Problem(
            text: "\nimport Foundation\n", rule: .cloudkitSyntax, message: "begins with “import”", line: 2, column: 1),
        Problem(text: "{\"a\": 1}", rule: .cloudkitSyntax, message: "begins with “{”", line: 1, column: 1),
        Problem(
            text: "DEFINE SCHEMA\n    RECORD TYPE A (\n        x STR", rule: .cloudkitUnknownElement,
            message: "unknown type “STR”", line: 3, column: 11),
        Problem(
            text: "DEFINE SCHEMA\n    RECORD TYPE A (\n        x STRING", rule: .cloudkitSyntax,
            message: "the schema ends before “,” or “)” in the record type “A”", line: 3, column: 17),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x STRING)", rule: .cloudkitSyntax,
            message: "the schema ends before “;” after the record type “A”", line: 1, column: 39),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x STRING y INT64);", rule: .cloudkitSyntax,
            message: "expected “,” or “)” in the record type “A”, found “y”", line: 1, column: 39),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x STRING,);", rule: .cloudkitSyntax,
            message: "expected a field or grant after the comma", line: 1, column: 39),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE cloudkit.share (x STRING);", rule: .cloudkitSyntax,
            message: "“cloudkit.share” needs quotes", line: 1, column: 27),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (___etag STRING);", rule: .cloudkitSyntax,
            message: "“___etag” needs quotes", line: 1, column: 30),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (größe STRING);", rule: .cloudkitSyntax,
            message: "“größe” is not a CloudKit name", line: 1, column: 30),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (\"x STRING);", rule: .cloudkitSyntax,
            message: "the quoted name is not closed", line: 1, column: 30),
        Problem(
            text: "DEFINE SCHEMA /* never\nclosed", rule: .cloudkitSyntax, message: "the comment is not closed",
            line: 1,
            column: 15),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED ASSET);", rule: .cloudkitInvalidField,
            message: "ASSET fields cannot be ENCRYPTED", line: 1, column: 32),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x LIST<STRING);", rule: .cloudkitSyntax,
            message: "expected “>” after the element type of “x”", line: 1, column: 43),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x NUMBER PREFERRED AS STRING);", rule: .cloudkitSyntax,
            message: "expected INT64 or DOUBLE", line: 1, column: 52),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (GRANT READ TO editors);", rule: .cloudkitUnknownElement,
            message: "unknown role “editors”", line: 1, column: 44),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (GRANT READ \"_world\");", rule: .cloudkitSyntax,
            message: "expected TO after the permissions", line: 1, column: 41),
        Problem(
            text: "DEFINE SCHEMA\nRECORD TYPE A ();\nRECORD TYPE A ();", rule: .cloudkitDuplicate,
            message: "the record type “A” is defined twice", line: 3, column: 13),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x STRING,\nx INT64);", rule: .cloudkitDuplicate,
            message: "the field “A.x” is defined twice", line: 2, column: 1),
        Problem(
            text: "DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", rule: .cloudkitDuplicate,
            message: "the role “a” is defined twice", line: 1, column: 42),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (\"___etag\" INT64);", rule: .cloudkitInvalidField,
            message: "the system field “___etag” of “A” has the type INT64", line: 1, column: 40),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED STRING QUERYABLE);", rule: .cloudkitInvalidField,
            message: "the encrypted field “A.x” has an index", line: 1, column: 32, severity: .warning),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (x STRING UNIQUE);", rule: .cloudkitUnknownElement,
            message: "unknown option “UNIQUE”", line: 1, column: 39, severity: .warning),
        Problem(
            text: "DEFINE SCHEMA CREATE INDEX i ON A (x);", rule: .cloudkitUnknownElement,
            message: "unknown statement “CREATE”", line: 1, column: 15, severity: .warning),
        Problem(
            text: "DEFINE SCHEMA RECORD TYPE A (GRANT DELETE TO \"_world\");", rule: .cloudkitUnknownElement,
            message: "unknown permission “DELETE”", line: 1, column: 36, severity: .warning),
        Problem(
            text: "DEFINE SCHEMA DEFINE SCHEMA", rule: .cloudkitSyntax, message: "found “DEFINE”", line: 1, column: 15),
    ]

    @Test(arguments: problems)
    func reportsProblemsAtTheirLocation(_ problem: Problem) throws {
        let document = SchemaDocument(bytes: Array(problem.text.utf8), path: "schema.ckdb")
        let first = try #require(document.diagnostics.first)
        #expect(first.rule == problem.rule)
        #expect(first.severity == problem.severity)
        #expect(first.message.contains(problem.message), "\(first.message)")
        #expect(first.range?.start == SourcePosition(line: problem.line, column: problem.column))
        #expect(first.file == "schema.ckdb")
        #expect(first.help != nil)
    }

    @Test func reportsEveryProblem() {
        let text = """
            DEFINE SCHEMA
                RECORD TYPE A (
                    x STRNG,
                    y INT64 z DOUBLE,
                    GRANT READ TO nobody
                );
                RECORD TYPE B (x ENCRYPTED REFERENCE)
            """
        let document = SchemaDocument(bytes: Array(text.utf8), path: "schema.ckdb")
        #expect(document.diagnostics.map { $0.range?.start.line } == [3, 4, 5, 7, 7])
        #expect(document.schema.recordTypes.map { $0.fields.map(\.name) } == [["x", "y", "z"], ["x"]])
    }

    /// Each mistake yields one finding, and the rest is still read.
    @Test(arguments: [
        ("x LIST<LIST<STRING>>", "a list cannot contain lists"),
        ("x ENCRYPTED LIST<STRING>", "ENCRYPTED belongs inside of the list"),
        ("x LIST<STRING QUERYABLE>", "expected “>” after the element type of “x”, found “QUERYABLE”"),
        ("x ENCRYPTED", "expected the type of “x”, found “,”"),
        ("GRANT READ \"_world\"", "expected TO after the permissions in the record type “A”, found “_world”"),
    ])
    func reportsEachMistakeOnce(_ member: String, _ message: String) {
        let text = "DEFINE SCHEMA RECORD TYPE A (\(member), y INT64);"
        let document = SchemaDocument(bytes: Array(text.utf8), path: "schema.ckdb")
        #expect(document.diagnostics.first?.message == message)
        #expect(document.diagnostics.count <= 2 && document.diagnostics.hasErrors)
        #expect(document.schema.recordTypes.first?.fields.last?.name == "y")
    }

    @Test(arguments: [[0x44, 0x00, 0x45], [0xFF, 0xFE, 0x44], [0xC3, 0x28]] as [[UInt8]])
    func rejectsFilesThatAreNotText(_ bytes: [UInt8]) {
        let document = SchemaDocument(bytes: bytes, path: "schema.ckdb")
        #expect(document.diagnostics.map(\.rule) == [.cloudkitSyntax])
        #expect(document.diagnostics.first?.message.contains("not UTF-8 text") == true)
    }

    @Test func keepsUnknownElements() throws {
        let text = """
            DEFINE SCHEMA

                RECORD TYPE A (
                    x STRING QUERYABLE UNIQUE,
                    GRANT DELETE, READ TO "_world"
                );

                CREATE INDEX i ON A ( "x" , y );

            """
        let document = SchemaDocument(bytes: Array(text.utf8), path: "schema.ckdb")
        #expect(!document.diagnostics.hasErrors)
        #expect(SchemaPrinter.text(document.schema) == text)
    }
}
