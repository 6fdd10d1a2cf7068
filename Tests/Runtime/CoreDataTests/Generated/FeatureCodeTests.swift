import CoreData
import Testing

/// The code of every feature of `modelc generate --with`, running on the runtime.
/// Documentation/Guides/GeneratedSwift.md specifies each feature.
@Suite struct FeatureCodeTests {
    /// Returns a context for the model and its coordinator.
    static func stack() throws -> (NSManagedObjectContext, NSPersistentStoreCoordinator) {
        let contents = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Features.xcdatamodeld/Features.xcdatamodel/contents")
        let model = try CompiledFixture().load(String(contentsOf: contents, encoding: .utf8))
        let coordinator = try Library.coordinator(model)
        return (try Library.context(coordinator), coordinator)
    }

    /// Returns a work in a context, with its required values.
    private static func work(_ context: NSManagedObjectContext, _ title: String = "Emma") -> FeatureWork {
        FeatureWork(context: context, title: title, publisher: FeaturePublisher(context: context))
    }

    @Test func rawValuesRoundTrip() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        #expect(
            work.genre == .novel && work.format == nil && work.mood == nil && work.marks == [] && work.weight == nil)
        work.genre = .poem
        work.format = .audio
        work.mood = .glad
        work.marks = [.lent, .torn]
        work.weight = FeatureWeight(rawValue: 1.5)
        #expect(work.primitiveValue(forKey: "genre") as? String == "poem")
        #expect(work.value(forKey: "format") as? Int == 2 && work.value(forKey: "marks") as? Int == 3)
        try context.save()

        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(same.genre == .poem && same.format == .audio && same.mood == .glad && same.marks == [.lent, .torn])
        #expect(same.weight?.rawValue == 1.5)
        same.format = nil
        same.mood = nil
        #expect(same.format == nil && same.value(forKey: "format") == nil && same.value(forKey: "mood") == nil)
        #expect(same.changedValues().keys.sorted() == ["format", "mood"])
        let requested = FeatureWork.fetchRequest()
        requested.predicate = NSPredicate(format: "genre == %@", "poem")
        #expect(try other.count(for: requested) == 1)
    }

    /// A newer version of an app may have saved raw values that this one does not know.
    @Test func unknownRawValuesReadAsTheFallbackAndAreKept() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        work.setValue("opera", forKey: "genre")
        work.setValue("angry", forKey: "mood")
        work.setValue(300, forKey: "format")
        work.setValue(-1, forKey: "weight")
        #expect(work.genre == .novel && work.mood == .unclear && work.format == nil && work.weight == nil)
        try context.save()

        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(same.genre == .novel && same.mood == .unclear && !same.hasChanges)
        same.title = "other"
        try other.save()
        #expect(same.value(forKey: "genre") as? String == "opera" && same.value(forKey: "format") as? Int == 300)
    }

    @Test func codableValuesRoundTrip() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        let size = FeatureSize(width: 2, height: 3)
        #expect(try work.size() == nil && work.note() == nil && work.cover == nil)
        try work.setSize(size)
        try work.setNote([size])
        work.cover = size
        // Keys are sorted, so that equal values have equal data.
        #expect(work.value(forKey: "note") as? String == #"[{"height":3,"width":2}]"#)
        #expect(work.value(forKey: "size") as? Data == Data(#"{"height":3,"width":2}"#.utf8))
        try context.save()

        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(try same.size() == size && same.note() == [size] && same.cover == size)
        try same.setSize(nil)
        #expect(try same.size() == nil && same.value(forKey: "size") == nil)
    }

    @Test func undecodableDataIsReportedOrNilAndIsKept() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        let bad = Data("no value".utf8)
        for key in ["size", "cover"] { work.setValue(bad, forKey: key) }
        work.setValue("no value", forKey: "note")
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(throws: DecodingError.self) { try same.size() }
        #expect(throws: DecodingError.self) { try same.note() }
        #expect(same.cover == nil && same.value(forKey: "cover") as? Data == bad && !same.hasChanges)
        #expect(throws: EncodingError.self) { try same.setSize(FeatureSize(width: .nan, height: 0)) }
        #expect(same.value(forKey: "size") as? Data == bad)
    }

    @Test func optionalScalarsRoundTrip() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        #expect(work.pages == nil && work.rating == nil && work.sold == nil && work.lastRead == nil)
        work.pages = 0
        work.rating = 0
        work.sold = false
        work.lastRead = 99
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(same.pages == 0 && same.rating == 0 && same.sold == false && same.lastRead == 99)
        #expect(same.value(forKey: "lastRead") as? Date == Date(timeIntervalSinceReferenceDate: 99))
        same.pages = nil
        #expect(same.pages == nil && same.value(forKey: "pages") == nil)
    }

    @Test func typedSetsUpdateInverses() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        let poets = Set((0..<3).map { FeaturePoet(context: context, name: "\($0)") })
        #expect(work.authors.isEmpty)
        work.authors = poets
        #expect(work.authors.count == 3 && poets.allSatisfy { $0.works == [work] })
        let one = try #require(poets.first)
        work.removeFromAuthors([one])
        #expect(work.authors == poets.subtracting([one]) && one.works.isEmpty)
        work.addToAuthors(poets)
        work.removeFromAuthors(one)
        work.addToAuthors(NSSet(object: one))
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(same.authors.compactMap(\.name).sorted() == ["0", "1", "2"])
    }

    @Test func managedIDsFindTheirObjects() async throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context, "Emma")
        let novel = try FeatureNovel(
            context: context, title: "Ulysses", prequel: false, spread: FeatureSize(width: 1, height: 2),
            publisher: work.publisher ?? .init())
        try context.save()
        let id: ManagedID<FeatureWork> = work.managedID
        let novelID = ManagedID(novel)
        #expect(id == ManagedID(work) && novel.managedID == ManagedID<FeatureWork>(novel))
        let titles = try await Task.detached {
            let other = try Library.context(coordinator)
            return try other.performAndWait {
                [try id.existing(in: other)?.title, try novelID.existing(in: other)?.title]
            }
        }.value
        #expect(titles == ["Emma", "Ulysses"])
        context.delete(work)
        try context.save()
        #expect(throws: (any Error).self) { try id.existing(in: context) }
    }

    @Test func initializersSetEveryProperty() throws {
        let (context, _) = try Self.stack()
        let publisher = FeaturePublisher(context: context, name: "P")
        let work = FeatureWork(context: context, title: "T", publisher: publisher, genre: .poem, pages: 3)
        #expect(work.title == "T" && work.publisher === publisher && work.genre == .poem && work.pages == 3)
        #expect(work.rating == nil && work.marks == [])
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Novel", in: context))
        let size = FeatureSize(width: 1, height: 2)
        let novel = try FeatureNovel(
            entity: entity, insertInto: context, title: "N", prequel: true, spread: size, publisher: publisher,
            case: "c", note: [size], chapters: 2)
        #expect(novel.title == "N" && novel.prequel && novel.case == "c" && novel.chapters == 2 && novel.isInserted)
        #expect(try novel.spread() == size && novel.note() == [size] && novel.size() == nil)
        // The model's default is kept if no value is given.
        #expect(FeaturePoet(context: context, name: nil).name == "?")
        try context.save()
    }

    /// A value that cannot be encoded leaves no object behind.
    @Test func initializersThatThrowDeleteTheObject() throws {
        let (context, _) = try Self.stack()
        let publisher = FeaturePublisher(context: context, name: "P")
        let bad = FeatureSize(width: .nan, height: 0)
        #expect(throws: EncodingError.self) {
            try FeatureWork(context: context, title: "T", publisher: publisher, size: bad)
        }
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Novel", in: context))
        #expect(throws: EncodingError.self) {
            try FeatureNovel(
                entity: entity, insertInto: context, title: "N", prequel: true, spread: bad, publisher: publisher)
        }
        context.processPendingChanges()
        #expect(context.insertedObjects == [publisher] && publisher.works?.count == 0)
        #expect(
            try FeatureNovel(
                entity: entity, insertInto: nil, title: "N", prequel: true, spread: FeatureSize(width: 1, height: 2),
                publisher: FeaturePublisher(entity: publisher.entity, insertInto: nil)
            ).title == "N")
    }

    /// A required attribute with a default value has a value after insertion.
    @Test func requiredAttributesHaveTheirDefaults() throws {
        let (context, coordinator) = try Self.stack()
        let work = Self.work(context)
        let language: String = work.language
        let added: Date = work.added
        let code: UUID = work.code
        #expect(language == "en" && added == Date(timeIntervalSinceReferenceDate: 600))
        #expect(code.uuidString == "00000000-0000-0000-0000-000000000001")
        #expect(work.home == URL(string: "https://example.org") && work.price == NSDecimalNumber(string: "1.5"))
        #expect(work.rank == 3)
        work.language = "fr"
        work.added = Date(timeIntervalSinceReferenceDate: 0)
        work.home = URL(fileURLWithPath: "/")
        work.rank = 4
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(FeatureWork.fetchRequest()).first)
        #expect(same.language == "fr" && same.added.timeIntervalSinceReferenceDate == 0 && same.code == code)
        #expect(same.home == URL(fileURLWithPath: "/") && same.rank == 4 && !same.hasChanges)
        // A missing text reads as an empty one, and remains missing.
        same.setValue(nil, forKey: "language")
        #expect(same.language == "" && same.primitiveValue(forKey: "language") == nil)
        #expect(throws: (any Error).self) { try other.save() }
    }

    @Test func keysNameEveryProperty() {
        #expect(FeatureWork.Relationships.allCases.map(\.rawValue) == ["authors", "publisher"])
        #expect(
            FeatureWork.Attributes.case.rawValue == "case"
                && FeatureWork.FetchedProperties.siblings.rawValue == "siblings")
        #expect(FeatureNovel.Attributes.allCases.map(\.rawValue) == ["chapters", "prequel", "spread"])
        // “sync.order” cannot name a case.
        #expect(FeatureWork.UserInfo.allCases.map(\.rawValue) == ["documentation", "icon"])
        #expect(
            FeaturePublisherAttributes.name.rawValue == "name" && FeaturePublisherRelationships(rawValue: "x") == nil)
    }

    @Test func fetchTemplatesReturnTypedObjects() throws {
        let (context, _) = try Self.stack()
        let works = ["Emma", "Enid", "Ulysses"].map { Self.work(context, $0) }
        for (work, pages) in zip(works, [100, 200, 300]) { work.pages = Int32(pages) }
        works[2].genre = .poem
        works[0].addToAuthors(FeaturePoet(context: context, name: "Jane"))
        try context.save()
        let found: [FeatureWork] = try FeatureWork.fetchByTitle(prefix: "E", least: 150, in: context)
        #expect(found == [works[1]])
        #expect(try Set(FeatureWork.fetchAllIDs(in: context)) == Set(works.map(\.objectID)))
        #expect(try FeatureWork.fetchRows(names: ["Jane"], in: context).map { $0["title"] as? String } == ["Emma"])
        #expect(Set(works[0].siblings) == [works[0], works[1]] && works[2].siblings == [works[2]])
    }

    @Test func readOnlyAttributesAreSettableByKey() throws {
        let (context, _) = try Self.stack()
        let work = Self.work(context)
        work.setValue("s", forKey: "secret")
        #expect(work.secret == "s")
        work.shelf = ["a"]
        #expect(work.shelf == ["a"])
    }
}
