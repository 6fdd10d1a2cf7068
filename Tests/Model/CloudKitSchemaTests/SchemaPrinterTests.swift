import CloudKitSchema
import Testing

/// The layout of `cktool export-schema` (Documentation/Formats/CloudKitSchema.md, 2).
@Suite struct SchemaPrinterTests {
    @Test func anExportRoundTripsByteForByte() throws {
        let text = Self.export
        let schema = try #require(SchemaText.schema(text))
        #expect(SchemaPrinter.text(schema) == text)
    }

    /// Written by hand from the rules.
    private static let export =
        """
        DEFINE SCHEMA

            CREATE ROLE moderator;

            RECORD TYPE CD_Item (
                CD_entityName   STRING QUERYABLE SEARCHABLE SORTABLE,
                CD_sTokenV2     STRING QUERYABLE SEARCHABLE SORTABLE,
                CD_serverValue  BYTES QUERYABLE SORTABLE,
                CD_ssn          ENCRYPTED STRING,
        \(SchemaText.systemFields(width: 15))\
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world",
                GRANT READ, WRITE TO moderator
            );

            RECORD TYPE CSVImport (
                "grant"  STRING,
                order    INT64,
                "string" STRING,
                text     LIST<STRING>,
                type     NUMBER PREFERRED AS DOUBLE
            );

            RECORD TYPE Category (
                "cloudkit.title" STRING
            );

        \(SchemaText.users)
            RECORD TYPE "cloudkit.share" (
                "cloudkit.thumbnailImageData" BYTES,
                "cloudkit.title"              STRING
            );

        """

    @Test func manualEditsDoNotChangeTheLayout() throws {
        let text = """
            define schema
            record type b (y string sortable queryable, X INT64, GRANT READ TO "_world", GRANT WRITE TO "_creator",
            GRANT CREATE TO "_world"); CREATE ROLE z; create role A; RECORD TYPE B();
            """
        #expect(
            SchemaPrinter.text(try #require(SchemaText.schema(text))) == """
                DEFINE SCHEMA

                    CREATE ROLE A;

                    CREATE ROLE z;

                    RECORD TYPE B (
                    );

                    RECORD TYPE b (
                        X INT64,
                        y STRING QUERYABLE SORTABLE,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE, READ TO "_world"
                    );

                """)
    }

    @Test(arguments: [
        ("title", "title"), ("CD_Title_2", "CD_Title_2"), ("order", "order"), ("type", "type"), ("date", "date"),
        ("_creator", "\"_creator\""), ("___etag", "\"___etag\""), ("cloudkit.share", "\"cloudkit.share\""),
        ("Grant", "\"Grant\""), ("preferred", "\"preferred\""), ("queryable", "\"queryable\""),
        ("sortable", "\"sortable\""), ("searchable", "\"searchable\""), ("read", "\"read\""), ("2nd", "\"2nd\""),
    ])
    func quotesNamesThatNeedQuotes(_ name: String, _ text: String) {
        #expect(SchemaName.text(name) == text)
    }
}
