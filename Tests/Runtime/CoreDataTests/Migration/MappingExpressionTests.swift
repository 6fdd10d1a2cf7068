import CompiledMapping
import CompiledModel
import CoreData
import PredicateSyntax
import Testing

/// Value expressions of mapping models.
@Suite struct MappingExpressionTests {
    private static let expressions: [(String, String)] = [
        ("$source.name", "Person 0"), ("\"constant\"", "constant"), ("nil", "nil"),
        ("$entityMapping.name", "PersonToPerson"), ("$propertyMapping.name", "fullName"),
        ("$entityMapping.userInfo.greeting", "hello"), ("$manager.userInfo.greeting", "hi"),
        ("uppercase($source.name)", "PERSON 0"), ("$destination.fullName", "nil"),
        ("TERNARY($source.age > 5, \"old\", \"young\")", "old"),
        ("FUNCTION($entityPolicy, \"shout:\", $source.name)", "PERSON 0"),
        ("FUNCTION($source.name, \"stringByAppendingString:\", \"!\")", "Person 0!"),
        ("$source.pets.@min.name", "Pet 0"), ("name", "Person 0"),
    ]

    @Test(arguments: expressions)
    func expressionsHaveTheirValues(format: String, value: String) throws {
        let fixture = try MappingFixture()
        let old = try fixture.makeStore()
        let mapping = fixture.mapping(policy: "HelpingPolicy", fullName: format)
        mapping.entityMappings[0].userInfo = ["greeting": "hello"]
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        manager.userInfo = ["greeting": "hi"]
        let new = try fixture.migrate(old, mapping, manager: manager)
        let context = try MappingFixture.open(new, fixture.second)
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "age == 20")
            let person = try #require(try context.fetch(request).first)
            #expect(person.value(forKey: "fullName") as? String ?? "nil" == value)
        }
        try MappingFixture.close(context)
    }

    /// A date has no format string: compiled mapping models contain it as an archived constant.
    @Test func archivedDatesAreRead() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.properties.append(MappingFixture.attribute("born", .dateAttributeType))
        }
        var builder = KeyedArchiveBuilder()
        let date = builder.add(.date, [(.time, .real(86400.5))])
        let constant = builder.add(
            .constantExpression, [(.expressionType, .integer(0)), (.constantValue, .reference(date))])
        let archived = ArchivedExpression(bytes: builder.finish(root: constant), reason: "a date")
        var entity = CompiledMapping.EntityMapping(name: "PersonToPerson", type: .transform)
        (entity.sourceEntityName, entity.destinationEntityName) = ("Person", "Person")
        entity.attributeMappings = [CompiledMapping.PropertyMapping(name: "born", value: .archived(archived))]
        let file = fixture.url("Map.cdm")
        try Data(CompiledMapping(entityMappings: [entity]).encoded().bytes).write(to: file)
        let mapping = try #require(NSMappingModel(contentsOf: file))
        let new = try fixture.migrate(try fixture.makeStore(), mapping)
        let context = try MappingFixture.open(new, fixture.second)
        try context.performAndWait { () throws in
            for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                #expect(person.value(forKey: "born") as? Date == Date(timeIntervalSinceReferenceDate: 86400.5))
            }
        }
        try MappingFixture.close(context)
    }

    /// A constant date inside of an expression: `TERNARY($source.age > 21, date, nil)`, as an archive has it.
    @Test func datesWithinArchivedExpressionsAreRead() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.properties.append(MappingFixture.attribute("born", .dateAttributeType))
        }
        var encoder = ExpressionEncoder(KeyedArchiveBuilder(), for: .mappingModel)
        let condition = encoder.encode(try PredicateParser.parsePredicate("$source.age > 21"))
        let none = encoder.encode(.constant(.null))
        let date = encoder.builder.add(.date, [(.time, .real(86400.5))])
        let constant = encoder.builder.add(
            .constantExpression, [(.expressionType, .integer(0)), (.constantValue, .reference(date))])
        let ternary = encoder.builder.add(
            .ternaryExpression,
            [
                (.expressionType, .integer(20)), (.predicate, .reference(condition)),
                (.trueExpression, .reference(constant)), (.falseExpression, .reference(none)),
            ])
        let archived = ArchivedExpression(bytes: encoder.builder.finish(root: ternary), reason: "a date")
        var entity = CompiledMapping.EntityMapping(name: "PersonToPerson", type: .transform)
        (entity.sourceEntityName, entity.destinationEntityName) = ("Person", "Person")
        entity.attributeMappings = [
            CompiledMapping.PropertyMapping(
                name: "age", value: .tree(try PredicateParser.parseExpression("$source.age"))),
            CompiledMapping.PropertyMapping(name: "born", value: .archived(archived)),
        ]
        let file = fixture.url("Map.cdm")
        try Data(CompiledMapping(entityMappings: [entity]).encoded().bytes).write(to: file)
        let mapping = try #require(NSMappingModel(contentsOf: file))
        let context = try MappingFixture.open(
            try fixture.migrate(try fixture.makeStore(), mapping), fixture.second)
        try context.performAndWait { () throws in
            let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(Set(people.map { $0.value(forKey: "born") == nil }) == [true, false])
            for person in people {
                let isOld = person.value(forKey: "age") as? Int ?? 0 > 21
                #expect(
                    person.value(forKey: "born") as? Date
                        == (isOld ? Date(timeIntervalSinceReferenceDate: 86400.5) : nil))
            }
        }
        try MappingFixture.close(context)
    }

    @Test func arithmeticAndDatesAreConverted() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.properties += [
                MappingFixture.attribute("born", .dateAttributeType),
                MappingFixture.attribute("cost", .decimalAttributeType),
            ]
        }
        let old = try fixture.makeStore(people: 1)
        let mapping = fixture.mapping()
        mapping.entityMappings[0].attributeMappings? += [
            MappingFixture.property("born", "now()"), MappingFixture.property("cost", "($source.age - 8) / 1.5"),
        ]
        let start = Date()
        let context = try MappingFixture.open(try fixture.migrate(old, mapping), fixture.second)
        try context.performAndWait {
            let person = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).first)
            let born = try #require(person.value(forKey: "born") as? Date)
            #expect(abs(born.timeIntervalSince(start)) < 60)
            #expect(person.value(forKey: "cost") as? NSDecimalNumber == 8)
        }
        try MappingFixture.close(context)
    }

    @Test func inferredMappingModelsHaveApplesNamesAndTypes() throws {
        let fixture = try MappingFixture { second in
            second.entitiesByName["Person"]?.attributesByName["fullName"]?.renamingIdentifier = "name"
            let toy = NSEntityDescription()
            toy.name = "Toy"
            second.entities.append(toy)
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: fixture.first, destinationModel: fixture.second)
        #expect(
            mapping.entityMappings.map { $0.name } == [
                "IEM_Transform_Cat", "IEM_Transform_Person", "IEM_Transform_Pet", "IEM_Add_Toy",
            ]
                || mapping.entityMappings.map { $0.name } == [
                    "IEM_Copy_Cat", "IEM_Transform_Person", "IEM_Copy_Pet", "IEM_Add_Toy",
                ])
        let old = try fixture.makeStore()
        let lines = try fixture.lines(try fixture.migrate(old, mapping))
        #expect(lines == MappingFixture.migrated.map { $0.replacingOccurrences(of: " 10 of", with: " 9 of") })
    }

    @Test func inferenceNamesUnsupportedChanges() throws {
        let fixture = try MappingFixture { second in
            let changed = MappingFixture.attribute("fullName", .binaryDataAttributeType)
            changed.renamingIdentifier = "name"
            let person = second.entitiesByName["Person"]
            person?.properties = (person?.properties.filter { $0.name != "fullName" } ?? []) + [changed]
        }
        let error = try #require(
            nsError {
                _ = try NSMappingModel.inferredMappingModel(
                    forSourceModel: fixture.first, destinationModel: fixture.second)
            })
        #expect(error.code == NSInferredMappingModelError)
        #expect(error.userInfo["entity"] as? String == "Person")
        #expect(error.userInfo["property"] as? String == "fullName")
        #expect(error.userInfo["reason"] is String)
    }
}
