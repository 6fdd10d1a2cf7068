import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import StoreTools

/// `modelc sql` and `modelc store copy` on a database whose entities have other numbers than in a new one.
@Suite(.needsPostgreSQL) struct SQLOnlineMigrationTests {
    @Test func plansUseTheNumbersInTheDatabase() throws {
        let scratch = try StoreScratch()
        let cluster = try PostgreSQLCluster.shared.get()
        let database = try cluster.createDatabase()
        let url = try cluster.url(database: database).absoluteString
        let connection = try PostgreSQLConnection(cluster.parameters(database: database))
        let title = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
        func model(_ names: String...) throws -> String {
            let name = "\(names.joined()).xcdatamodel"
            try scratch.writeModel(names.map { "<entity name=\"\($0)\">\(title)</entity>" }.joined(), to: name)
            return name
        }
        func run(_ arguments: [String]) throws -> ToolProcess.Result {
            try ToolProcess.run("modelc-postgresql", arguments, in: scratch.folder)
        }
        func migrate(_ old: String, _ new: String, _ arguments: String...) throws -> ToolProcess.Result {
            let plan = try run(["sql", "migrate", "--from", old, "--to", new] + arguments)
            #expect(plan.code == 0, "\(plan.errorOutput)")
            try scratch.write(Data(plan.output.utf8), to: "plan.sql")
            return try run(["sql", "apply", "plan.sql", "--database", url])
        }
        func numbers() throws -> String? {
            try connection.execute("SELECT string_agg(number || name, ' ' ORDER BY number) FROM coredata._entities")
                .text(0, 0)
        }
        let (first, second) = (try model("Book", "Tag"), try model("Author", "Book"))
        let third = try model("Aisle", "Author", "Book")
        #expect(try scratch.modelc("store", "make", first, "--output", "a.sqlite", "--rows", "10"))
        let copy = try run(["copy", "a.sqlite", url])
        #expect(copy.code == 0, "\(copy.errorOutput)")
        for step in ["expand", "fill", "contract"] {
            let result = try migrate(first, second, "--online", step)
            #expect(result.code == 0, "\(result.errorOutput)")
        }
        #expect(try numbers() == "1Book 3Author")
        // The copy in a file is numbered by name.
        let back = try run(["copy", url, "b.sqlite"])
        #expect(back.code == 0, "\(back.errorOutput)")
        #expect(try scratch.value("SELECT group_concat(DISTINCT Z_ENT) FROM ZBOOK", in: "b.sqlite") == "2")
        #expect(try scratch.value("SELECT count(*) FROM ZBOOK", in: "b.sqlite") == "10")

        let refused = try migrate(second, third, "--online", "expand")
        #expect(refused.code == 1 && refused.errorOutput.contains("--database"), "\(refused.errorOutput)")
        for step in ["expand", "fill", "contract"] {
            let result = try migrate(second, third, "--online", step, "--database", url)
            #expect(result.code == 0, "\(result.errorOutput)")
        }
        #expect(try numbers() == "1Book 3Author 4Aisle")
        let status = try run(["sql", "status", third, "--database", url])
        #expect(status.output.contains(": opens the store"), "\(status.output)")
        let result = try migrate(third, second, "--database", url)
        #expect(result.code == 0, "\(result.errorOutput)")
        #expect(try numbers() == "1Author 2Book")
        #expect(try connection.execute("SELECT DISTINCT _entity::text FROM coredata.\"Book\"").text(0, 0) == "2")
    }
}
