internal import CoreData

/// What a statement of a plan does to a database under load, and the sequence that is safe there.
struct PostgreSQLLoadFinding: Equatable {
    var name: String
    /// What happens while the statement runs.
    var problem: String
    /// The safe sequence.
    var advice: String

    /// Returns the finding about a statement of a plan, or `nil` if it is safe: it takes a short lock, or concerns only
    /// tables that the plan has created.
    ///
    /// - Parameters:
    ///   - statement: A statement as `PostgreSQLMigrationPlan` writes it.
    ///   - created: The tables that the plan has created, as spelled in statements.
    ///   - locked: The tables that earlier statements of the plan have altered, as spelled in statements.
    init?(_ statement: String, created: Set<String>, locked: Set<String>) {
        self.init(statement, created: created)
        guard name != "table-rewrite", name != "unique-blocks-reads",
            locked.contains(where: { statement.contains(" \($0) ") })
        else { return }
        problem += "; reads wait for it too, because an earlier statement keeps its ACCESS EXCLUSIVE lock until the end"
    }

    private init?(_ statement: String, created: Set<String>) {
        func has(_ text: String) -> Bool { statement.contains(text) }
        func concerns(_ prefix: String) -> Bool {
            statement.hasPrefix(prefix) && !created.contains { statement.hasPrefix("\(prefix) \($0) ") }
        }
        if statement.hasPrefix("ALTER TABLE"), has(" ALTER COLUMN "), has(" TYPE ") {
            self.init(
                name: "table-rewrite",
                problem:
                    "rewrites the table and its indexes under an ACCESS EXCLUSIVE lock, which blocks all reads and writes of it",
                advice:
                    "add an attribute of the new type in one version, fill it in batches, and remove the old attribute in the next"
            )
        } else if statement.hasPrefix("CREATE INDEX"), !created.contains(where: { has(" ON \($0) ") }) {
            self.init(
                name: "index-blocks-writes", problem: "blocks writes to the table until the index is built",
                advice:
                    "run it as CREATE INDEX CONCURRENTLY, with the same name, before the plan, and remove it from the plan"
            )
        } else if concerns("ALTER TABLE"), has(" ADD CONSTRAINT "), has(" UNIQUE (") {
            self.init(
                name: "unique-blocks-reads", problem: "builds an index under an ACCESS EXCLUSIVE lock",
                advice:
                    "run CREATE UNIQUE INDEX CONCURRENTLY before the plan, and ADD CONSTRAINT … UNIQUE USING INDEX … DEFERRABLE "
                    + "INITIALLY DEFERRED in it")
        } else if concerns("ALTER TABLE"), has(" ADD CONSTRAINT "), has(" FOREIGN KEY (") {
            self.init(
                name: "foreign-key-validated-at-once",
                problem: "reads the whole table while both tables are locked against writes",
                advice: "add NOT VALID to it, and run ALTER TABLE … VALIDATE CONSTRAINT after the plan")
        } else if concerns("UPDATE") {
            self.init(
                name: "update-of-all-rows",
                problem: "writes all rows in one transaction, and keeps their locks until it ends",
                advice:
                    "let the new version of the model have an optional attribute without default, fill it in batches by key, and make it "
                    + "required in the next version")
        } else if statement.hasPrefix("INSERT"), has(" SELECT "), has(" AS s") {
            self.init(
                name: "rows-move", problem: "copies all rows of a table in one transaction",
                advice: "keep the hierarchy or relationship as it is, or schedule a maintenance window")
        } else {
            return nil
        }
    }

    private init(name: String, problem: String, advice: String) {
        self.name = name
        self.problem = problem
        self.advice = advice
    }
}
