import CoreData
import Testing

/// Texts where numbers are expected.
@Suite struct TextNumberTests {
    private func makeContext() throws -> NSManagedObjectContext {
        let context = try Library.context()
        for title in ["9", "12 monkeys", "x", "9.5"] { _ = context.make("Book", ["title": title]) }
        try context.save()
        return context
    }

    private func value(_ format: String, _ context: NSManagedObjectContext) throws -> NSNumber? {
        let column = NSExpressionDescription()
        column.name = "result"
        column.expression = NSExpression(format: format)
        column.expressionResultType = .doubleAttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [column]
        return try context.fetch(request).first?["result"] as? NSNumber
    }

    @Test(.overAllStores) func sumsOfTextsAreThoseOfTheirFirstDigits() throws {
        let context = try makeContext()
        #expect(try value("sum:(title)", context)?.doubleValue == 30.5)
        #expect(try value("average:(title)", context)?.doubleValue == 7.625)
        #expect(NSExpression(format: "sum:({'1', 'b', 2})").expressionValue(with: nil, context: nil) as? Double == 3)
    }

    @Test(.overDatabases) func textsEqualNumbersByTheirDigits() throws {
        let context = try makeContext()
        func titles(_ format: String, _ numbers: [Any] = []) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: format, numbers)
            return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
        #expect(try titles("title IN %@", [9]) == ["9"] && titles("title IN %@", [9, "x"]) == ["9", "x"])
        #expect(try titles("title == 9") == ["9"] && titles("title == 9.5") == ["9.5"])
        #expect(try titles("title != 9") == ["12 monkeys", "9.5", "x"] && titles("title == 8").isEmpty)
        #expect(try titles("title IN %@", (0..<500).map { $0 }) == ["9"])
    }
}
