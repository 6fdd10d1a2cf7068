import SwiftData
import Testing

@Suite struct ConfigurationNameTests {
    @Test func configurationsWithoutNamesAreDistinguishedByPosition() throws {
        let memory = ModelConfiguration(for: Item.self, isStoredInMemoryOnly: true)
        let other = ModelConfiguration(for: Drawing.self, isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Item.self, Drawing.self, configurations: memory, other)
        let context = ModelContext(container)
        context.insert(Item(timestamp: .now))
        context.insert(Drawing(name: "d"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Item>()) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Drawing>()) == 1)
    }

    @Test func twoConfigurationsWithOneFileAreRejected() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).store")
        let configurations = [
            ModelConfiguration(schema: Schema([Item.self]), url: url), ModelConfiguration("x", url: url),
        ]
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelContainer(for: Schema([Item.self]), configurations: configurations)
        }
    }

    /// A file holds the models of its configuration: those of others do not decide whether Apple's framework reads it.
    @Test(arguments: [true, false]) func provisionalValuesOfOtherConfigurations(areInFile: Bool) {
        // A file that cannot be created, outside of the temporary folder.
        let url = URL(fileURLWithPath: "/proc/\(UUID().uuidString).store")
        let (plain, provisional) = (Schema([Item.self]), Schema([Envelope.self]))
        let configurations = [
            ModelConfiguration("file", schema: areInFile ? provisional : plain, url: url),
            ModelConfiguration("memory", schema: areInFile ? plain : provisional, isStoredInMemoryOnly: true),
        ]
        let expected = areInFile ? SwiftDataError.unknownSchema : .loadIssueModelContainer
        #expect(throws: expected) {
            try ModelContainer(for: Schema([Item.self, Envelope.self]), configurations: configurations)
        }
    }
}
