import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

@testable import StoreTools

/// The tables that `modelc sql --distribute` prints, on plain PostgreSQL. With partitions by the hash of the tenant, it
/// has Citus's rule: each primary key and unique constraint contains the distribution column.
@Suite(.needsPostgreSQL) struct DistributedSchemaTests {
    /// A database with the tables of `LendingModel`.
    private struct Fixture {
        let scratch: StoreScratch
        let url: String
        let connection: PostgreSQLConnection

        init(partitions: Int, before statements: [String] = []) throws {
            scratch = try StoreScratch()
            try scratch.writeModel(LendingModel.entities)
            let cluster = try PostgreSQLCluster.shared.get()
            let database = try cluster.createDatabase()
            url = try cluster.url(database: database).absoluteString
            connection = try PostgreSQLConnection(cluster.parameters(database: database))
            for statement in statements { try connection.execute(statement) }
            let arguments = ["Model.xcdatamodel", "--schema", "s", "--partitions", "\(partitions)"]
            try #require(scratch.sql(arguments + LendingModel.arguments) == 0, "\(scratch.errorOutput)")
            try runWithPSQL(scratch.output)
            try connection.execute("SET search_path TO s, public")
        }

        private func runWithPSQL(_ script: String) throws {
            try Data(script.utf8).write(to: scratch.url("tables.sql"))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "psql", "--no-psqlrc", "-q", "-v", "ON_ERROR_STOP=1", "-f", scratch.url("tables.sql").path, url,
            ]
            let errors = Pipe()
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0 && text.isEmpty, "\(text)\n\(script)")
        }

        /// Inserts a row with values as in `name='Ada',library=1`.
        func insert(_ table: String, _ values: String) throws {
            let columns = values.split(separator: ",").map { $0.split(separator: "=")[0] }
            let constants = values.split(separator: ",").map { $0.split(separator: "=")[1] }
            try connection.execute(
                #"INSERT INTO "\#(table)" (_entity, _version, \#(columns.joined(separator: ", "))) "#
                    + "VALUES (1, 1, \(constants.joined(separator: ", ")))")
        }

        /// Returns the class of the error of a transaction with a statement, or `nil` if it succeeds. Constraints are
        /// deferred: COMMIT checks them.
        func failure(_ body: () throws -> Void) throws -> PostgreSQLError.Kind? {
            do {
                try connection.execute("BEGIN")
                try body()
                try connection.execute("COMMIT")
                return nil
            } catch let error as PostgreSQLError {
                try connection.execute("ROLLBACK")
                return error.kind
            }
        }

        func strings(_ query: String) throws -> [String] {
            let rows = try connection.execute(query)
            return try (0..<rows.count).map { try rows.text($0, 0) ?? "" }
        }

        /// Inserts two libraries, each with a person, a book, a tag and a loan, and a genre and a subject.
        func insertRows() throws {
            try insert("Genre", "_pk=9,name='Novel'")
            try insert("Subject", "_pk=9,name='Sea'")
            for tenant in [1, 2] {
                try insert("Library", "_tenant=\(tenant),_pk=\(tenant),name='L'")
                try insert("Person", "_tenant=\(tenant),_pk=\(tenant)1,library=\(tenant),name='Ada'")
                try insert(
                    "Book",
                    "_tenant=\(tenant),_pk=\(tenant)2,library=\(tenant),isbn='1',genre=9,"
                        + "\"Person_favorites\"=\(tenant)1"
                )
                try insert("Tag", "_tenant=\(tenant),_pk=\(tenant)3,library=\(tenant),name='new'")
                try insert("Loan", "_tenant=\(tenant),_pk=\(tenant)4,book=\(tenant)2,person=\(tenant)1")
                try connection.execute("UPDATE \"Library\" SET director = \(tenant)1 WHERE _tenant = \(tenant)")
                try join("Book_tags", tenant: tenant, "\(tenant)2", "\(tenant)3")
                try join("Book_subjects", tenant: tenant, "\(tenant)2", "9")
            }
        }

        func join(_ table: String, tenant: Int, _ owner: String, _ member: String) throws {
            try connection.execute(
                #"INSERT INTO "\#(table)" (_tenant, _owner, _member) VALUES (\#(tenant), \#(owner), \#(member))"#)
        }
    }

    @Test(arguments: [0, 4]) func rowsOfTwoTenantsAreAcceptedAndReferencesBetweenThemRefused(partitions: Int) throws {
        let fixture = try Fixture(partitions: partitions)
        try fixture.insertRows()
        #expect(try fixture.strings("SELECT count(*)::text FROM \"Book\"") == ["2"])
        let count = "SELECT count(*)::text FROM pg_class WHERE relispartition AND relkind = 'r'"
        #expect(try fixture.strings(count) == ["\(partitions * 7)"])
        func failure(_ table: String, _ values: String) throws -> PostgreSQLError.Kind? {
            try fixture.failure { try fixture.insert(table, values) }
        }
        // A book of the other library, a person of the other, a relationship that is not the chain, and join tables.
        #expect(try failure("Loan", "_tenant=1,_pk=50,book=22,person=11") == .foreignKeyViolation)
        #expect(try failure("Loan", "_tenant=1,_pk=50,book=12,person=21") == .foreignKeyViolation)
        #expect(try failure("Book", "_tenant=1,_pk=50,library=2,isbn='2'") == .foreignKeyViolation)
        #expect(try failure("Book", "_tenant=1,_pk=50,library=1,isbn='2',sequel=22") == .foreignKeyViolation)
        let favorite = "_tenant=1,_pk=50,library=1,isbn='2',\"Person_favorites\"=21"
        #expect(try failure("Book", favorite) == .foreignKeyViolation)
        #expect(try failure("Person", "_tenant=1,_pk=50,library=1,name='B',directs=2") == .foreignKeyViolation)
        #expect(try fixture.failure { try fixture.join("Book_tags", tenant: 1, "12", "23") } == .foreignKeyViolation)
        #expect(try fixture.failure { try fixture.join("Book_subjects", tenant: 1, "22", "9") } == .foreignKeyViolation)
        // Reference tables.
        #expect(try failure("Book", "_tenant=1,_pk=50,library=1,isbn='2',genre=8") == .foreignKeyViolation)
        // Constraints hold within a tenant, and rows without one are refused.
        #expect(try failure("Book", "_tenant=1,_pk=50,library=1,isbn='1'") == .uniqueViolation)
        #expect(try failure("Tag", "_tenant=2,_pk=50,library=2,name='new'") == .uniqueViolation)
        #expect(try failure("Genre", "_pk=50,name='Novel'") == .uniqueViolation)
        #expect(try failure("Book", "_pk=50,library=1,isbn='2'") == .notNullViolation)
        #expect(try failure("Book", "_tenant=1,_pk=50,isbn='2'") == .notNullViolation)
        #expect(try failure("Library", "_tenant=1,_pk=50,name='X'") == .constraintViolation)
        // All of that changed nothing, and the same rows of one tenant are accepted.
        #expect(try failure("Book", "_tenant=1,_pk=50,library=1,isbn='2',sequel=12,genre=9") == nil)
        #expect(try failure("Loan", "_tenant=1,_pk=51,book=50,person=11") == nil)
    }

    /// Citus's rules for constraints, checked in the server's catalog.
    @Test(arguments: [0, 4]) func constraintsContainTheTenant(partitions: Int) throws {
        let fixture = try Fixture(partitions: partitions)
        let tables = """
            WITH t AS (SELECT c.oid, c.relname AS name, a.attnum AS tenant FROM pg_class c LEFT JOIN pg_attribute a
            ON a.attrelid = c.oid AND a.attname = '_tenant' WHERE c.relnamespace = 's'::regnamespace
            AND c.relkind IN ('r', 'p') AND NOT c.relispartition)
            """
        let distributed = try fixture.strings("\(tables) SELECT name::text FROM t WHERE tenant > 0 ORDER BY name")
        #expect(
            distributed == ["Book", "Book_subjects", "Book_tags", "Library", "Loan", "Person", "Tag"])
        let references = try fixture.strings("\(tables) SELECT name::text FROM t WHERE tenant IS NULL ORDER BY name")
        #expect(references == ["Genre", "Subject", "_entities"])
        let keys = try fixture.strings(
            "\(tables) SELECT i.indexrelid::regclass::text FROM t JOIN pg_index i ON i.indrelid = t.oid WHERE "
                + "i.indisunique AND t.tenant > 0 AND i.indkey[0] <> t.tenant")
        #expect(keys == [])
        // A foreign key to a distributed table contains both tenants at the same place; reference tables have none.
        let misplaced = try fixture.strings(
            "\(tables) SELECT k.conname::text FROM pg_constraint k JOIN t ON t.oid = k.conrelid JOIN t AS u "
                + "ON u.oid = k.confrelid WHERE k.contype = 'f' AND u.tenant > 0 AND (t.tenant IS NULL "
                + "OR k.conkey[1] <> t.tenant OR k.confkey[1] <> u.tenant)")
        #expect(misplaced == [])
        #expect(
            try fixture.strings(
                "\(tables) SELECT count(*)::text FROM pg_constraint k JOIN t ON t.oid = k.conrelid WHERE contype = 'f' "
                    + "AND k.conparentid = 0") == ["15"])
    }

    /// A stand-in for Citus: its functions record their calls, and refuse what Citus refuses.
    @Test func citusDistributesTheTablesBeforeTheyReferToEachOther() throws {
        let fixture = try Fixture(
            partitions: 0,
            before: [
                "CREATE TABLE calls (number serial, call text)",
                """
                CREATE FUNCTION create_reference_table(t regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = t AND contype = 'f') THEN RAISE 'late'; END IF;
                INSERT INTO public.calls (call) VALUES (format('reference %s', t)); END $$
                """,
                """
                CREATE FUNCTION create_distributed_table(t regclass, c text, colocate_with text) RETURNS void
                LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM pg_constraint k WHERE conrelid = t AND (contype = 'f' OR contype IN ('p', 'u')
                AND NOT (SELECT attnum FROM pg_attribute WHERE attrelid = t AND attname = c) = ANY(conkey)))
                THEN RAISE 'late, or not in a key'; END IF;
                INSERT INTO public.calls (call) VALUES (format('%s by %s with %s', t, c, colocate_with)); END $$
                """,
            ])
        let with = "by _tenant with"
        let library = #""s"."Library""#
        #expect(
            try fixture.strings("SELECT replace(call, 's.', '') FROM public.calls ORDER BY number")
                == ["reference _entities", #"reference "Genre""#, #"reference "Subject""#, #""Library" \#(with) none"#]
                + ["Book", "Loan", "Person", "Tag", "Book_subjects", "Book_tags"].map {
                    #""\#($0)" \#(with) \#(library)"#
                })
    }

    /// A store that is added at such a schema fails, and changes nothing.
    @Test func storesAreNotMadeOverDistributedTables() throws {
        let fixture = try Fixture(partitions: 0)
        #expect(fixture.scratch.make(rows: 3) == 0, "\(fixture.scratch.errorOutput)")
        let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = 's'::regnamespace ORDER BY 1"
        let before = try fixture.strings(tables)
        let result = try ToolProcess.run(
            "modelc-postgresql", ["copy", "a.sqlite", fixture.url, "--to-schema", "s"], in: fixture.scratch.folder)
        #expect(result.code != 0)
        #expect(result.errorOutput.contains("already exists"), "\(result.errorOutput)")
        #expect(try fixture.strings(tables) == before)
    }
}
