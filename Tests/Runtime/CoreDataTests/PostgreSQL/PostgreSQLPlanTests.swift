import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = PostgreSQLMigrationFixture

/// Plans of migrations, and what differs between a database and its model.
@Suite(.needsPostgreSQL) struct PostgreSQLPlanTests {
    @Test func driftNamesWhatWasChangedByHand() throws {
        let stack = try Fixture.stack(Fixture.second) { _ = $0.make("Book", [:]) }
        let administration = try PostgreSQLAdministration(url: stack.url.absoluteString)
        #expect(try administration.drift(from: stack.model) == [])
        _ = try stack.connection.execute("CREATE INDEX mine ON coredata.\"Book\" (\"pages\")")
        _ = try stack.connection.execute("ALTER TABLE coredata.\"Book\" ALTER COLUMN \"pages\" TYPE bigint")
        _ = try stack.connection.execute("ALTER TABLE coredata.\"Book\" DROP COLUMN \"title\"")
        let drift = try administration.drift(from: stack.model)
        #expect(
            drift.map(\.location) == ["column “Book.title”", "index “mine” of “Book”", "column “Book.pages”"],
            "\(drift)")
        #expect(drift.last?.problem == "is “bigint”, and “integer” in the model")
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname LIKE '%modelc%'") == "0")
    }

    @Test func appliedPlansComputeWhatTheServerCannot() throws {
        let stack = try Fixture.stack()
        let version = try stack.version(
            "<entity name=\"Book\">\(Fixture.title)<attribute name=\"upper\" optional=\"YES\" attributeType=\"String\" "
                + "derived=\"YES\" derivationExpression=\"uppercase:(title)\"/></entity>")
        let script = try PostgreSQLPlanScript(from: stack.model, to: version.model)
        let administration = try PostgreSQLAdministration(url: stack.url.absoluteString)
        let other = try PostgreSQLPlanScript(from: stack.model, to: version.model, namespace: "other")
        #expect { try administration.apply(other.text) } throws: {
            ($0 as? DatabaseFailure)?.reason == "the plan does not migrate the schema “coredata”"
        }
        try administration.apply(script.text)
        let context = try version.context()
        try context.performAndWait { () throws in
            #expect(try context.all("Book").first?.value(forKey: "upper") as? String == "B")
        }
        #expect(try administration.status().migrations.count == 1)
        #expect(throws: DatabaseFailure.self) { try administration.apply(script.text) }
    }

    @Test func plansSayWhatBlocksAServerUnderLoad() throws {
        func book(_ type: String, _ rest: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model(
                "<entity name=\"Book\">\(Fixture.title)<attribute name=\"n\" optional=\"YES\" attributeType=\"\(type)\"/>\(rest)</entity>"
            )
        }
        let index =
            "<fetchIndex name=\"byN\"><fetchIndexElement property=\"n\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
        let unique =
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"n\"/></uniquenessConstraint></uniquenessConstraints>"
        let required = "<attribute name=\"year\" attributeType=\"Integer 16\" defaultValueString=\"1\"/>"
        let script = try PostgreSQLPlanScript(
            from: book("Integer 16", ""), to: book("Integer 64", required + index + unique))
        func findings(_ script: PostgreSQLPlanScript) -> [String] {
            script.text.matches(of: #/-- under load \((.+?)\): /#).map { String($0.1) }
        }
        #expect(
            findings(script) == ["table-rewrite", "update-of-all-rows", "index-blocks-writes", "unique-blocks-reads"])
        // The statements before have altered the table, which blocks reads of it until the end.
        let locked = "reads wait for it too, because an earlier statement keeps its ACCESS EXCLUSIVE lock"
        func lines(_ script: PostgreSQLPlanScript, _ finding: String) -> [Substring] {
            script.text.split(separator: "\n").filter { $0.contains("under load (\(finding))") }
        }
        #expect(lines(script, "update-of-all-rows").allSatisfy { $0.contains(locked) })
        #expect(lines(script, "index-blocks-writes").allSatisfy { $0.contains(locked) })
        #expect(lines(script, "unique-blocks-reads").allSatisfy { !$0.contains(locked) })
        let optional = "<attribute name=\"year\" optional=\"YES\" attributeType=\"Integer 16\"/>"
        let filled = try PostgreSQLPlanScript(from: book("Integer 16", optional), to: book("Integer 16", required))
        #expect(findings(filled) == ["update-of-all-rows"] && !filled.text.contains(locked))
        let renamed = try PostgreSQLPlanScript(
            from: MigrationFixture.model(Fixture.first),
            to: MigrationFixture.model(
                "<entity name=\"Tome\" elementID=\"Book\">\(Fixture.title)\(required)</entity>"))
        #expect(lines(renamed, "update-of-all-rows").map { $0.contains(locked) } == [true])
        // What concerns only new tables is safe.
        let added = try PostgreSQLPlanScript(
            from: MigrationFixture.model(Fixture.first),
            to: MigrationFixture.model(Fixture.first + "<entity name=\"New\">\(Fixture.title)</entity>"))
        #expect(findings(added).isEmpty)
    }

    @Test func scriptsAreSplitIntoStatements() {
        let script = """
            -- a; b
            SELECT ';' /* ; /* ; */ */, "x;", E'\\';', $1; DO $code$ BEGIN; END $code$;
            /* ; */ UPDATE a$b SET c = 'it''s;'
            """
        #expect(
            PostgreSQLScript.statements(in: script) == [
                "SELECT ';' /* ; /* ; */ */, \"x;\", E'\\';', $1", "DO $code$ BEGIN; END $code$",
                "UPDATE a$b SET c = 'it''s;'",
            ])
    }
}
