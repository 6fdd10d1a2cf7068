internal import CompiledModel
package import CoreData
internal import Foundation
internal import ModelMigration

/// The SQL of a PostgreSQL store's migration, for review and for `psql`. Needs no server.
///
/// The statements are those that the store runs when it migrates itself.
package struct PostgreSQLPlanScript {
    /// The error of a migration that cannot be planned.
    package struct Failure: Error {
        /// The problem.
        package let reason: String
        /// The fix; `nil` if none is known.
        package let help: String?
    }

    private let plan: PostgreSQLMigrationPlan
    let source: NSManagedObjectModel

    /// - Parameters:
    ///   - source: The model that the store was created with.
    ///   - destination: The model that it is migrated to.
    ///   - configuration: The configuration whose entities the store contains; `nil` for all.
    ///   - namespace: The name of the schema; `nil` for the default schema.
    ///   - partitions: The number of partitions of each table; 0 for plain tables.
    ///   - entityNumbers: The numbers of entities in the database, by name; empty for those of a new store.
    /// - Throws: `Failure` if the migration cannot be inferred.
    package init(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, configuration: String? = nil,
        namespace: String? = nil, partitions: Int = 0, entityNumbers: [String: Int] = [:]
    ) throws(Failure) {
        self.source = source
        do {
            plan = try PostgreSQLMigrationPlan(
                from: source, to: destination, configuration: configuration,
                namespace: namespace.map { PostgreSQLName.fitted($0) }
                    ?? PostgreSQLSchemaBuilder.defaultNamespace(configuration), partitions: partitions,
                entityNumbers: entityNumbers)
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        if let failure = error as? PostgreSQLSchemaBuilder.Failure {
            return Failure(reason: failure.description, help: nil)
        }
        let error = error as NSError
        return Failure(
            reason: error.userInfo["reason"] as? String ?? error.localizedDescription,
            help: error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String)
    }

    /// The statements, without the semicolons at their ends, each with its purpose.
    package var statements: [(comment: String, statement: String)] {
        let schema = plan.source
        var result: [(comment: String, statement: String)] = PostgreSQLMigrationLock.beginning(
            namespace: schema.name, timeout: MigrationRequest.defaultTimeout
        ).map { ("", $0) }
        result[0].comment =
            "one program at a time migrates the store, after the transactions that write to it have ended"
        result += versionChecks
        result.append(
            (
                "no online migration is under way",
                Self.check(
                    "\(PostgreSQLVersionRecord.upcomingStamp(schema.name)) IS NOT NULL",
                    message: "the store is being migrated online", help: "End that with its step “contract”.")
            ))
        for check in plan.before.checks {
            let query = PostgreSQLLiterals.text(of: check.query)
            let name = check.property.map { "values of “\(check.entity).\($0)”" } ?? "rows of “\(check.entity)”"
            result.append(
                (
                    "no \(name) \(check.reason)",
                    Self.check("(\(query)) > 0", message: "\(name) \(check.reason)", help: check.help)
                ))
        }
        result += plan.steps.map { ($0.comment, $0.statement) }
        if !plan.computations.isEmpty {
            let names = plan.computations.flatMap { pair, slots in
                slots.map { "“\(pair.destination.name).\(pair.destinationLayout.slots[$0].name)”" }
            }
            result[result.count - 1].comment +=
                "; the server cannot compute \(names.joined(separator: ", ")): “modelc sql apply” does, psql leaves them null"
        }
        return result + [("", "COMMIT")]
    }

    private var versionChecks: PostgreSQLOnlinePlan.Statements {
        let schema = plan.source
        let state =
            "(SELECT coalesce(string_agg(name || ' ' || version_hash, ', ' ORDER BY name COLLATE \"C\"), '') "
            + "FROM \(schema.qualified("_entities")))"
        let expected = schema.hashes.map { "\($0) \($1)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .joined(separator: ", ")
        let check = Self.check(
            "\(state) IS DISTINCT FROM \(PostgreSQLName.literal(expected))",
            message: "the database has another version of the model than the one that the plan starts from",
            help: "Make a plan from its version; “modelc sql status” shows it.")
        return [
            ("the database has the version that the plan starts from", check),
            ("the entities have the numbers that the plan uses", PostgreSQLEntityNumbers.check(schema)),
        ]
    }

    /// Returns the text of a step of the online migration.
    ///
    /// - Throws: `Failure` if programs of both versions cannot use the same tables.
    package func text(online step: PostgreSQLOnlinePlan.Step) throws(Failure) -> String {
        let online: PostgreSQLOnlinePlan
        do { online = PostgreSQLOnlinePlan(try plan.keepingNumbers()) } catch { throw Self.failure(error) }
        let obstacles = online.obstacles
        guard obstacles.isEmpty else {
            throw Failure(
                reason: "the store cannot be migrated while programs of both versions use it: "
                    + obstacles.joined(separator: "; "),
                help: "Release these changes with a plan without “--online”, while no program uses the store.")
        }
        let title =
            switch step {
            case .expand: "Step 1 of 3, expand: from then on, programs of both versions use the store."
            case .fill: "Step 2 of 3, fill: programs go on reading and writing."
            case .contract:
                "Step 3 of 3, contract: run it when no program of the old version is left. Its next save would fail."
            case .cancel:
                "Cancel: run it when no program of the new version is left. Drops what only the new version has."
            }
        return heading("Online migration of the schema \(plan.source.name). \(title)")
            + Self.text(online.statements(step, versionChecks: versionChecks)) { _ in nil }
    }

    /// The tables that the plan creates, and those that the store writes in every migration.
    private var createdTables: [String] {
        plan.createdTables + ["_metadata", "_entities", "_migrations"].map(plan.destination.qualified)
    }

    /// The text of the plan.
    package var text: String {
        let created = Set(createdTables)
        var locked = PostgreSQLLockedTables(plan)
        return heading(
            "Migration of the schema \(plan.source.name). Review it, and run it with “modelc sql apply” or psql.")
            + Self.text(statements) { statement in
                defer { locked.add(statement) }
                return PostgreSQLLoadFinding(statement, created: created, locked: locked.names)
            }
    }

    private func heading(_ title: String) -> String {
        var text = "-- \(title)\n-- Changes of the model:\n"
        for step in plan.changes.steps { text += "--   \(step.text)\n" }
        for loss in plan.before.losses {
            let name = loss.property.map { "the values of “\(loss.entity).\($0)”" } ?? "the rows of “\(loss.entity)”"
            text += "-- Drops \(name).\n"
        }
        return text.split(separator: "\n").map { Self.comment(String($0)) }.joined(separator: "\n") + "\n\n"
    }

    /// Returns statements as a script, with their comments and findings.
    static func text(
        _ statements: [(comment: String, statement: String)], finding: (String) -> PostgreSQLLoadFinding?
    ) -> String {
        var (text, last) = ("", "")
        for (comment, statement) in statements {
            if !comment.isEmpty, comment != last { text += "-- \(Self.comment(comment))\n" }
            last = comment
            if let finding = finding(statement) {
                text += "-- under load (\(finding.name)): \(finding.problem). Safe: \(finding.advice).\n"
            }
            text += statement + ";\n"
        }
        return text
    }

    /// Returns a text without characters that would end a comment.
    static func comment(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
    }

    static func check(_ condition: String, message: String, help: String) -> String {
        let body =
            "BEGIN IF \(condition) THEN RAISE EXCEPTION USING MESSAGE = \(PostgreSQLName.literal(message)), "
            + "HINT = \(PostgreSQLName.literal(help)); END IF; END"
        return "DO \(PostgreSQLName.dollarQuoted(body))"
    }
}

extension PostgreSQLName {
    /// Returns a block of code in dollar quotes that do not occur in it.
    static func dollarQuoted(_ body: String) -> String {
        var tag = "$code$"
        var number = 0
        while body.contains(tag) {
            number += 1
            tag = "$code\(number)$"
        }
        return "\(tag) \(body) \(tag)"
    }
}
