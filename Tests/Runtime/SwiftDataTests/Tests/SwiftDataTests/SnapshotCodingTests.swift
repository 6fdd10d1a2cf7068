import Testing

@testable import SwiftData

@Model
final class Plain {
    var name: String
    var made: Date?
    init(name: String, made: Date?) {
        self.name = name
        self.made = made
    }
}

@Suite struct SnapshotCodingTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let formatter: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd HH:mm:ss"
        return formatter
    }()

    private func gadget(_ decode: ([DefaultSnapshot]) throws -> [DefaultSnapshot]) throws -> Gadget {
        let source = ModelContext(try makeContainer(Gadget.self))
        let gadget = Gadget(name: "2023-11-14T22:13:20Z", made: Self.date)
        gadget.bytes = Data([1, 2, 255])
        gadget.price = Decimal(string: "-1234567890123456789.25")
        source.insert(gadget)
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = DefaultSnapshot(from: gadget.persistentBackingData, relatedBackingDatas: &related)
        let configuration = CountingConfiguration<DefaultSnapshot>()
        let container = try ModelContainer(for: Schema([Gadget.self]), configurations: [configuration])
        let identifier = try PersistentIdentifier.identifier(for: "counting", entityName: "Gadget", primaryKey: 1)
        let copy = snapshot.copy(persistentIdentifier: identifier)
        configuration.rows[identifier] = try decode([copy]).first
        return try #require(try ModelContext(container).fetch(FetchDescriptor<Gadget>()).first)
    }

    @Test(arguments: 0..<5) func datesInTheFormOfTheCoder(_ number: Int) throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        switch number {
        case 0: (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.secondsSince1970, .secondsSince1970)
        case 1:
            encoder.dateEncodingStrategy = .millisecondsSince1970
            decoder.dateDecodingStrategy = .millisecondsSince1970
        case 2: (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.iso8601, .iso8601)
        case 3:
            encoder.dateEncodingStrategy = .formatted(Self.formatter)
            decoder.dateDecodingStrategy = .formatted(Self.formatter)
        default: break
        }
        encoder.dataEncodingStrategy = .deferredToData
        let result = try gadget { try decoder.decode([DefaultSnapshot].self, from: encoder.encode($0)) }
        #expect(result.made == Self.date)
        #expect(result.name == "2023-11-14T22:13:20Z")
        #expect(result.bytes == Data([1, 2, 255]))
        #expect(result.price == Decimal(string: "-1234567890123456789.25"))
    }

    @Test func snapshotsRoundTripThroughPropertyLists() throws {
        let result = try gadget {
            try PropertyListDecoder().decode([DefaultSnapshot].self, from: PropertyListEncoder().encode($0))
        }
        #expect(result.made == Self.date && result.bytes == Data([1, 2, 255]))
        #expect(result.price == Decimal(string: "-1234567890123456789.25"))
    }

    @Test(arguments: [
        ("2023-11-14T22:13:20Z", 0.0), ("2023-11-14T23:13:20+01:00", 0.0), ("2023-11-14T22:13:20.25Z", 0.25),
    ])
    func datesAsText(_ text: String, _ fraction: Double) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { _, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
        let result = try gadget { try JSONDecoder().decode([DefaultSnapshot].self, from: encoder.encode($0)) }
        let made = try #require(result.made)
        #expect(abs(made.timeIntervalSince(Self.date) - fraction) < 0.001)
    }
}
