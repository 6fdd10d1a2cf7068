import CloudKitSchema
import Testing

/// Differences between two schemas.
@Suite struct SchemaDifferenceTests {
    private func difference(_ old: String, _ new: String) throws -> SchemaDifference {
        SchemaDifference(
            from: try #require(SchemaText.schema("DEFINE SCHEMA " + old)),
            to: try #require(SchemaText.schema("DEFINE SCHEMA " + new)))
    }

    @Test func layoutAndOrderMakeNoDifference() throws {
        let found = try difference(
            "RECORD TYPE A (x STRING QUERYABLE SORTABLE, y INT64, GRANT READ TO \"_world\"); RECORD TYPE B ();",
            """
            // the same
            RECORD TYPE B (); RECORD TYPE \"A\" (GRANT READ TO \"_world\",
              y INT64, x STRING SORTABLE QUERYABLE);
            """)
        #expect(found.isEmpty)
        #expect(found.refused.isEmpty)
    }

    @Test func everyChangeIsFound() throws {
        let found = try difference(
            "CREATE ROLE r; RECORD TYPE A (x STRING, y INT64, z BYTES, GRANT READ TO \"_world\"); RECORD TYPE B ();",
            "CREATE ROLE s; RECORD TYPE A (x STRING SORTABLE, y DOUBLE, w BYTES, GRANT WRITE TO \"_world\"); RECORD TYPE C ();"
        )
        #expect(found.roles.count == 2)
        #expect(found.recordTypes == [.removed(RecordType(name: "B")), .added(RecordType(name: "C"))])
        let type = try #require(found.changedTypes.first)
        #expect(
            type.fields == [
                .added(RecordField(name: "w", type: .bytes)),
                .changed(
                    from: RecordField(name: "x", type: .string),
                    to: RecordField(name: "x", type: .string, options: [.sortable])),
                .changed(from: RecordField(name: "y", type: .int64), to: RecordField(name: "y", type: .double)),
                .removed(RecordField(name: "z", type: .bytes)),
            ])
        #expect(type.grants == [.changed(from: Grant([.read], to: "_world"), to: Grant([.write], to: "_world"))])
        #expect(found.refused == ["B", "A.y", "A.z"])
    }

    @Test func removedIndexesAreNamed() throws {
        let found = try difference(
            "RECORD TYPE A (x STRING QUERYABLE SORTABLE, y STRING QUERYABLE, z INT64 SORTABLE);",
            "RECORD TYPE A (x STRING QUERYABLE, y STRING QUERYABLE SORTABLE);")
        #expect(found.fieldsThatLoseIndexes == ["A.x"] && found.refused == ["A.z"])
    }

    @Test func productionAcceptsOnlyAdditions() throws {
        func isAccepted(_ old: String, _ new: String) throws -> Bool {
            try difference("RECORD TYPE A (\(old));", "RECORD TYPE A (\(new));").refused.isEmpty
        }
        #expect(try isAccepted("", "x STRING"))
        #expect(try isAccepted("x STRING", "x STRING SORTABLE"))
        #expect(try isAccepted("\"___etag\" STRING", ""))
        #expect(try isAccepted("x NUMBER", "x NUMBER PREFERRED AS INT64"))
        #expect(try !isAccepted("x STRING", ""))
        #expect(try !isAccepted("x STRING", "x ENCRYPTED STRING"))
        #expect(try !isAccepted("x ENCRYPTED STRING", "x STRING"))
        #expect(try !isAccepted("x STRING", "x LIST<STRING>"))
        #expect(try !isAccepted("x NUMBER PREFERRED AS INT64", "x NUMBER"))
        #expect(try !isAccepted("x NUMBER PREFERRED AS INT64", "x NUMBER PREFERRED AS DOUBLE"))
    }
}
