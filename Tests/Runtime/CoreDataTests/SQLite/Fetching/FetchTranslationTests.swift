import Testing

@testable import CoreData

/// The SQL statements of fetches.
@Suite struct FetchTranslationTests {
    private struct Bench {
        let world: FetchWorld
        let translator: FetchTranslator
        let database: TestDatabase

        init() throws {
            world = try FetchWorld(seed: 3, things: 9)
            (translator, database) = try world.database()
        }

        func query(
            _ format: String, _ arguments: [Any] = [], entity: String = "Thing", sort: [NSSortDescriptor] = []
        ) throws -> FetchQuery {
            try query(NSPredicate(format: format, argumentArray: arguments), entity: entity, sort: sort)
        }

        func query(
            _ predicate: NSPredicate, entity: String = "Thing", sort: [NSSortDescriptor] = []
        ) throws -> FetchQuery {
            var settings = FetchSettings()
            settings.predicate = predicate
            settings.sortDescriptors = sort
            return try translator.query(settings, try #require(translator.model.entity(named: entity)))
        }

        /// Returns SQLite's plan in one line.
        func plan(_ query: FetchQuery) throws -> String {
            let select = query.select("\(word: query.root.alias).Z_PK, \(word: query.root.alias).ZCODE")
            let explanation: SQLFragment = "EXPLAIN QUERY PLAN \(select)"
            return try database.rows(explanation).compactMap { $0[3] }.joined(separator: "; ")
        }
    }

    @Test func valuesAreBoundAsArguments() throws {
        let bench = try Bench()
        let texts = ["'; DROP TABLE ZTHING; --", "\"", "?", "a%b_", "NULL"]
        for text in texts {
            for format in [
                "name == %@", "name BEGINSWITH[n] %@", "name CONTAINS[cd] %@", "name IN %@", "ANY tags.label LIKE %@",
                "SUBQUERY(parts, $p, $p.title == %@).@count > 1", "%@ == name OR note > %@",
            ] {
                let arguments: [Any] = format.contains(" IN ") ? [[text, text + "x"]] : [text, text]
                let query = try bench.query(format, arguments)
                let statement = query.select("t0.Z_PK")
                #expect(query.isComplete)
                #expect(!statement.text.contains("DROP") && !statement.text.contains("a%b"))
                #expect(statement.text.filter { $0 == "?" }.count == statement.arguments.count)
                _ = try bench.database.rows(statement)
            }
        }
    }

    @Test func requestsOfOneShapeShareAStatement() throws {
        let bench = try Bench()
        #expect(
            try bench.query("whole == 1 AND name == 'a'").filter.text
                == bench.query("whole == 99 AND name == 'b'").filter.text)
        #expect(
            try bench.query("whole IN %@", [[1, 2, 3]]).filter.text
                == bench.query("whole IN %@", [[1, 2, 3, 4]]).filter.text)
    }

    /// Predicate and sort descriptors follow a relationship with one join.
    @Test func pathsAreJoinedOnce() throws {
        let bench = try Bench()
        let query = try bench.query(
            "owner.name == 'a' AND owner.age > 3 AND owner.boss.age > owner.age",
            sort: [
                NSSortDescriptor(key: "owner.name", ascending: true),
                NSSortDescriptor(key: "owner.boss", ascending: false),
            ])
        #expect(query.isComplete)
        #expect(query.select("1").text.components(separatedBy: "JOIN").count == 3)
        let foreignKey = try bench.query("owner == nil")
        #expect(!foreignKey.select("1").text.contains("JOIN"))
    }

    @Test(arguments: [
        ("whole == 5", "ZWHOLE=?"), ("whole > 5", "ZWHOLE>?"), ("whole BETWEEN {1, 5}", "ZWHOLE>? AND ZWHOLE<?"),
        ("whole IN {1, 2, 3}", "ZWHOLE=?"), ("name == 'ab'", "ZNAME=?"), ("name IN {'a', 'b'}", "ZNAME=?"),
        ("name BEGINSWITH[n] 'ab'", "ZNAME>? AND ZNAME<?"), ("name BEGINSWITH 'ab'", "ZNAME>? AND ZNAME<?"),
        ("name >= 'ab'", "ZNAME>?"), ("name BETWEEN {'a', 'b'}", "ZNAME>?"), ("name <[n] 'b'", "ZNAME<?"),
        ("name == 'a' AND note CONTAINS 'b'", "ZNAME=?"), ("whole == 1 OR name == 'a'", "MULTI-INDEX OR"),
    ])
    func indexesAreUsed(_ format: String, _ expected: String) throws {
        let bench = try Bench()
        // Without rows, SQLite prefers a full scan.
        try bench.database.run("DELETE FROM ZTHING")
        let plan = try bench.plan(try bench.query(format))
        #expect(plan.contains(expected), "\(plan)")
        #expect(!plan.hasPrefix("SCAN"), "\(plan)")
    }

    @Test func objectsAreFoundByTheirKeys() throws {
        let bench = try Bench()
        let things = try bench.world.objects("Thing")
        let people = try bench.world.objects("Person")
        for (format, value) in [
            ("SELF == %@", things[0] as Any), ("SELF IN %@", things as Any), ("objectID IN %@", things.map(\.objectID)),
        ] {
            let plan = try bench.plan(try bench.query(format, [value]))
            #expect(plan.contains("INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
        }
        let plan = try bench.plan(try bench.query("owner == %@", [people[0]]))
        #expect(plan.contains("ZTHING_ZOWNER_INDEX (ZOWNER=?)"), "\(plan)")
    }

    @Test func sortsUseIndexes() throws {
        let bench = try Bench()
        let query = try bench.query("TRUEPREDICATE", sort: [NSSortDescriptor(key: "name", ascending: false)])
        // The attribute has an index for each entity, and that of the fetch index.
        let plan = try bench.plan(query)
        #expect(plan.hasPrefix("SCAN t0 USING INDEX Z_") && plan.hasSuffix("_name"), "\(plan)")
    }

    @Test func countsReadNoRows() throws {
        let bench = try Bench()
        var settings = FetchSettings()
        let entity = try #require(bench.translator.model.entity(named: "Book"))
        #expect(
            try bench.translator.query(settings, entity).count.text
                == "SELECT COUNT(*) FROM ZTHING t0 WHERE t0.Z_ENT IN (\(entity.mapping.numbers[0]), \(entity.mapping.numbers[1]))"
        )
        settings.includesSubentities = false
        settings.fetchLimit = 2
        settings.fetchOffset = 1
        let count = try bench.translator.query(settings, entity).count
        #expect(count.text.hasSuffix("WHERE t0.Z_ENT = \(entity.mapping.number) LIMIT ? OFFSET ?)"))
        #expect(count.arguments == [.integer(2), .integer(1)])
    }

    // MARK: What SQL does not say

    /// The parts of an AND that SQL can express reduce the candidates.
    @Test func unsupportedPredicatesAreLeftToTheEvaluator() throws {
        let bench = try Bench()
        let query = try bench.query("whole == 5 AND list.@count > 1")
        #expect(!query.isFiltered)
        #expect(query.condition?.text == "t0.ZWHOLE = ?")
        #expect(try bench.query("whole == 5 OR list.@count > 1").condition == nil)
        #expect(try bench.query("NOT (whole == 5 AND list.@count > 1)").condition == nil)
        #expect(
            try bench.query("(whole == 5 AND list.@count > 1) OR whole == 7").condition?.text
                == "(t0.ZWHOLE = ?) OR (t0.ZWHOLE = ?)")
        #expect(try bench.query("ANY related.tags.label == 'a'").condition == nil)
    }

    @Test func requestsThatApplesStoreRejectsAreRejected() throws {
        let bench = try Bench()
        func reason(_ body: () throws -> FetchQuery) -> String {
            do {
                _ = try body()
                return "not refused"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            reason { try bench.query(NSPredicate { _, _ in true }) } == "Unsupported predicate BLOCKPREDICATE")
        #expect(
            reason { try bench.query("whole == 1 AND colour == 'red'") }
                == "keypath colour not found in entity <NSSQLEntity Thing id=4>")
        #expect(
            reason { try bench.query("passing == 'a'") }
                == "keypath passing not found in entity <NSSQLEntity Thing id=4>")
        let comparator = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(
            reason { try bench.query("TRUEPREDICATE", sort: [comparator]) }
                == "unsupported NSSortDescriptor (comparator blocks are not supported)")
    }

    // MARK: Large and deep ones

    @Test func longCompoundsAreBalanced() throws {
        let bench = try Bench()
        let parts = (0..<5000).map { NSPredicate(format: "whole == %d", $0) }
        let query = try bench.query(NSCompoundPredicate(orPredicateWithSubpredicates: parts))
        #expect(query.isFiltered)
        _ = try bench.database.rows(query.select("t0.Z_PK"))
        // The same predicates combined one by one.
        var chain = parts[0]
        for part in parts.dropFirst() { chain = NSCompoundPredicate(andPredicateWithSubpredicates: [chain, part]) }
        #expect(try bench.query(chain).isFiltered)
    }

    @Test func deepPredicatesAreLeftToTheEvaluator() throws {
        let bench = try Bench()
        var deep = NSPredicate(format: "whole == 1")
        for index in 0..<3000 {
            let other = NSPredicate(format: "name == 'a'")
            deep =
                index % 2 == 0
                ? NSCompoundPredicate(andPredicateWithSubpredicates: [deep, other])
                : NSCompoundPredicate(orPredicateWithSubpredicates: [deep, other])
        }
        #expect(try !bench.query(deep).isFiltered)
        let sum = "whole" + String(repeating: " + 1", count: 190)
        #expect(try !bench.query("\(sum) > 5").isFiltered)
    }

    @Test func longListsAreOneArgument() throws {
        let bench = try Bench()
        for list in [Array(0..<100_000) as [Any], (0..<100_000).map { "\($0)\n\"" } as [Any]] {
            let query = try bench.query("\(list[0] is Int ? "whole" : "name") IN %@", [list])
            #expect(query.isFiltered)
            #expect(query.filter.arguments.count == 1)
            _ = try bench.database.rows(query.select("t0.Z_PK"))
        }
        // JSON does not keep real numbers; they are passed as texts.
        let numbers = (0..<40_000).map { Double($0) / 3 }
        let query = try bench.query("real IN %@", [numbers])
        #expect(query.isFiltered && query.filter.arguments.count == 1)
        _ = try bench.database.rows(query.select("t0.Z_PK"))
    }
}
