import Foundation
import Testing

@testable import StoreTools

/// What `modelc sql --distribute` prints and refuses.
@Suite struct DistributedScriptTests {
    /// `UPDATE_GOLDENS=1` updates the golden file.
    @Test func theScriptMatchesItsGolden() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(LendingModel.entities)
        #expect(scratch.sql(["Model.xcdatamodel"] + LendingModel.arguments) == 0, "\(scratch.errorOutput)")
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Goldens/lending.sql")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            return try Data(scratch.output.utf8).write(to: file)
        }
        #expect(try scratch.output == String(contentsOf: file, encoding: .utf8))
        #expect(scratch.errorOutput.contains("note: “Book.isbn” is unique within each “Library” only"))
        #expect(scratch.errorOutput.contains("warning: the database does not keep “Library.name” unique"))
        #expect(!scratch.errorOutput.contains("Tag.library"))
    }

    /// A change of the model, the arguments, and the problem that is then reported at an element.
    struct Refusal: CustomTestStringConvertible, Sendable {
        var testDescription: String { problem }
        /// Texts of the model that are replaced.
        var changes: [String: String] = [:]
        var arguments = ["Book.library", "Loan.book"]
        /// The element at whose line the finding is.
        var element: String
        var problem: String
    }

    /// Returns the change that adds a relationship to an entity.
    private static func adding(_ name: String, _ attributes: String, to entity: String) -> [String: String] {
        let start = "<entity name=\"\(entity)\">"
        return [start: "\(start)<relationship name=\"\(name)\" deletionRule=\"Nullify\" \(attributes)/>"]
    }

    private static let toOne = #"optional="YES" maxCount="1""#
    private static let toMany = #"optional="YES" toMany="YES""#

    static let refusals = [
        Refusal(
            arguments: ["Book.libary"], element: #"<entity name="Book""#,
            problem: "“Book.libary” is not a to-one relationship of the store"),
        Refusal(
            arguments: ["Library.books"], element: #"name="books""#,
            problem: "“Library.books” is not a to-one relationship of the store"),
        Refusal(arguments: ["Shop"], element: "", problem: "“Shop” is not a to-one relationship of the store"),
        Refusal(
            arguments: ["Book.library"], element: #"name="book""#,
            problem: "“Loan” has several relationships that lead to “Library”: “Loan.book”, “Loan.person”"),
        Refusal(
            arguments: ["Book.library", "Loan.book", "Loan.person"], element: #"name="person""#,
            problem: "rows of “Loan” are distributed by one relationship, not by each of “Loan.book”, “Loan.person”"),
        Refusal(
            arguments: ["Book.library", "Loan.book", "Book.genre"], element: #"name="genre""#,
            problem: "“Book.genre” does not lead from another entity to the tenant, “Library”"),
        Refusal(
            arguments: ["Book.library", "Loan.book", "Person.directs"], element: #"name="directs""#,
            problem: "“Person.directs” is optional, and a row without a “Library” is on no node"),
        Refusal(
            arguments: ["Book.sequel"], element: #"name="sequel""#,
            problem: "“Book.sequel” does not lead from another entity to the tenant, “Book”"),
        Refusal(
            changes: [
                #"<relationship name="library" maxCount="1" deletionRule="Nullify" destinationEntity="Library" "#
                    + #"inverseName="books""#: #"<relationship name="library" optional="YES" maxCount="1" "#
                    + #"deletionRule="Nullify" destinationEntity="Library" inverseName="books""#
            ],
            element: #"name="library" optional"#,
            problem: "“Book.library” is optional, and a row without a “Library” is on no node"),
        Refusal(
            changes: adding("best", #"\#(toOne) destinationEntity="Book""#, to: "Genre"),
            element: #"name="best""#, problem: "“Genre.best” is optional"),
        Refusal(
            changes: adding("reviews", #"\#(toMany) destinationEntity="Subject""#, to: "Book"),
            element: #"name="reviews""#,
            problem: "“Book.reviews” has no inverse, so it is a column of “Subject”"),
        Refusal(
            changes: adding("parent", #"\#(toOne) destinationEntity="Library""#, to: "Library"),
            element: #"name="parent""#, problem: "“Library.parent” relates objects of different tenants"),
        Refusal(
            changes: adding("branches", #"\#(toMany) destinationEntity="Library""#, to: "Library"),
            element: #"name="branches""#, problem: "“Library.branches” relates objects of different tenants"),
        Refusal(
            changes: adding(
                "visitors", #"\#(toMany) destinationEntity="Person" inverseName="visits" inverseEntity="Person""#,
                to: "Library"
            ).merging(
                adding(
                    "visits", #"\#(toMany) destinationEntity="Library" inverseName="visitors" inverseEntity="Library""#,
                    to: "Person")
            ) { $1 },
            element: #"name="visitors""#, problem: "“Library.visitors” relates objects of different tenants"),
        Refusal(
            changes: [
                #"<entity name="Subject">"#:
                    #"<entity name="Globe" parentEntity="Subject"><relationship name="library" maxCount="1" "#
                    + #"deletionRule="Nullify" destinationEntity="Library"/></entity><entity name="Subject">"#
            ],
            element: #"<entity name="Globe""#,
            problem:
                "only rows of “Globe” lead to “Library”, by “Globe.library”, and those of “Subject” are in the same"
        ),
    ]

    @Test(arguments: refusals) func whatCannotBeDistributedIsRefused(_ refusal: Refusal) throws {
        let scratch = try StoreScratch()
        var entities = LendingModel.entities
        for (old, new) in refusal.changes {
            #expect(entities.contains(old))
            entities = entities.replacingOccurrences(of: old, with: new)
        }
        try scratch.writeModel(entities)
        let code = scratch.sql(["Model.xcdatamodel"] + refusal.arguments.flatMap { ["--distribute", $0] })
        #expect(code == 1)
        #expect(scratch.output.isEmpty)
        let line = try #require(
            scratch.errorOutput.split(separator: "\n").first { $0.contains("error: \(refusal.problem)") },
            "\(scratch.errorOutput)")
        #expect(line.hasSuffix("[undistributable-model]"))
        guard !refusal.element.isEmpty else { return }
        let source = try String(contentsOf: scratch.url("Model.xcdatamodel/contents"), encoding: .utf8)
        let number = try #require(line.split(separator: ":").dropFirst().first.flatMap { Int($0) })
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false)[number - 1].contains(refusal.element))
    }

    /// Relationships that lead to each other are not chosen, although each could lead to the tenant by another one.
    @Test func chosenRelationshipsMustNotFormACycle() throws {
        let scratch = try StoreScratch()
        func entity(_ name: String, to other: String) -> String {
            """
            <entity name="\(name)"><relationship name="next" maxCount="1" deletionRule="Nullify" \
            destinationEntity="\(other)"/><relationship name="owner" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Owner"/></entity>
            """
        }
        try scratch.writeModel(
            #"<entity name="Owner"/>"# + entity("A", to: "B") + entity("B", to: "C") + entity("C", to: "A")
                + #"<entity name="D"><relationship name="owner" maxCount="1" deletionRule="Nullify" "#
                + #"destinationEntity="Owner"/></entity>"#)
        func code(_ names: String...) -> Int32 {
            scratch.sql(["Model.xcdatamodel"] + (["D.owner"] + names).flatMap { ["--distribute", $0] })
        }
        #expect(code("A.next", "B.next", "C.owner") == 0, "\(scratch.errorOutput)")
        #expect(code("A.next", "B.next", "C.next") == 1)
        #expect(scratch.errorOutput.contains("“A.next” does not lead from another entity to the tenant, “Owner”"))
    }

    @Test func sqliteStoresAreNotDistributed() throws {
        #expect(throws: (any Error).self) {
            try SQLCreateCommand.parse(["M.mom", "--dialect", "sqlite", "--distribute", "Book.library"])
        }
    }

    /// A property with the column's name keeps it.
    @Test func theColumnHasANameThatNoPropertyHas() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            LendingModel.entities.replacingOccurrences(of: #"name="isbn""#, with: #"name="_tenant""#)
                .replacingOccurrences(of: #"value="isbn""#, with: #"value="_tenant""#))
        #expect(scratch.sql(["Model.xcdatamodel"] + LendingModel.arguments) == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("UNIQUE (\"_tenant_2\", \"_tenant\")"), "\(scratch.output)")
        #expect(scratch.output.contains("create_distributed_table('\"coredata\".\"Book\"', '_tenant_2'"))
    }
}
