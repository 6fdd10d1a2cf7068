import SwiftData
import Testing

/// Values whose stored form is not that of their type.
@Suite struct StoredValueTests {
    @Test func enumerationsWithCodingKeysAreStored() throws {
        let context = ModelContext(try makeContainer(Door.self))
        let door = Door()
        context.insert(door)
        door.state = .closed
        door.side = .right
        door.place.state = .closed
        try context.save()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Door>()).first)
        #expect(same.state == .closed && same.side == .right && same.place.state == .closed)
        let (closed, open) = (Door.State.closed, Door.State.open)
        #expect(try other.fetchCount(FetchDescriptor<Door>(predicate: #Predicate { $0.state == closed })) == 1)
        #expect(try other.fetchCount(FetchDescriptor<Door>(predicate: #Predicate { $0.state == open })) == 0)
    }

    @Test func notANumberIsStored() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = ModelConfiguration(url: folder.appendingPathComponent("x.store"))
        do {
            let context = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
            context.insert(Sample(.nan))
            try context.save()
        }
        let context = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        let sample = try #require(try context.fetch(FetchDescriptor<Sample>()).first)
        #expect(sample.mean.isNaN && sample.single.isNaN && sample.graphic.isNaN && sample.decimal.isNaN)
        #expect(sample.optional == nil)
    }

    /// Null columns do not tell what they stand for.
    @Test func structuresHaveNumbersAndPartsThatAreStoredAsNull() throws {
        let container = try makeContainer(Pinboard.self)
        let context = ModelContext(container)
        let board = Pinboard()
        context.insert(board)
        board.pin = Pin(x: .nan, y: 2, note: PinNote())
        board.other = Pin(x: 3, y: .nan, note: PinNote(number: 4))
        board.spot = Spot(x: .nan)
        try context.save()
        let same = try #require(try ModelContext(container).fetch(FetchDescriptor<Pinboard>()).first)
        #expect(same.pin.x.isNaN && same.pin.y == 2)
        #expect(same.pin.note.text == nil && same.pin.note.number == nil)
        #expect(same.other?.x == 3 && same.other?.y.isNaN == true && same.other?.note.number == 4)
        #expect(same.spot.x.isNaN)
    }
}

struct PinNote: Codable {
    var text: String?
    var number: Int?
}

struct Pin: Codable {
    var x: Double
    var y: Float
    var note: PinNote
}

struct Spot: Codable {
    var x: Double
}

@Model final class Pinboard {
    var pin: Pin
    var other: Pin?
    var spot: Spot

    init() {
        pin = Pin(x: 0, y: 0, note: PinNote())
        spot = Spot(x: 0)
    }
}

@Model final class Door {
    enum State: Codable {
        case open, closed

        enum CodingKeys: String, CodingKey {
            case open = "O"
            case closed = "C"
        }
    }

    /// Encoded as a single value.
    enum Side: Codable {
        case left, right

        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Int.self) == 0 ? .left : .right
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self == .left ? 0 : 1)
        }
    }

    struct Place: Codable {
        var state = State.open
        var floor = 1
    }

    var state = State.open
    var side = Side.left
    var place = Place()

    init() {}
}

@Model final class Sample {
    var mean: Double
    var single: Float
    var graphic: CGFloat
    var decimal: Decimal
    var optional: Double?

    init(_ value: Double) {
        mean = value
        single = Float(value)
        graphic = value
        decimal = .nan
        optional = value
    }
}
