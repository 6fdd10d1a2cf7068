import SwiftData
import Testing

@Model
final class Host {
    var port: UInt16
    var height: UInt32
    var total: UInt64
    var small: Int16 = 0
    init(port: UInt16, height: UInt32, total: UInt64) {
        (self.port, self.height, self.total) = (port, height, total)
    }
}

@Suite struct NumberTests {
    @Test func unsignedNumbersAreComparedByValue() throws {
        let context = ModelContext(try makeContainer(Host.self))
        context.insert(Host(port: 80, height: 5, total: 1))
        context.insert(Host(port: 50_000, height: 3_000_000_000, total: .max))
        func ports(_ predicate: Predicate<Host>) throws -> [UInt16] {
            try context.fetch(FetchDescriptor(predicate: predicate)).map(\.port)
        }
        let byHeight = FetchDescriptor<Host>(sortBy: [SortDescriptor(\.height)])
        // Before and after the save.
        for _ in 0..<2 {
            let height: UInt32 = 3_000_000_000
            #expect(try ports(#Predicate { $0.port > 40_000 }) == [50_000])
            #expect(try ports(#Predicate { $0.height == height }) == [50_000])
            #expect(try context.fetch(byHeight).map(\.port) == [80, 50_000])
            try context.save()
        }
        let copy = try #require(try ModelContext(context.container).fetch(byHeight).last)
        #expect(copy.port == 50_000 && copy.height == 3_000_000_000 && copy.total == .max)
    }

    @Test func constantsBeyondInt64AreRejected() throws {
        let context = ModelContext(try makeContainer(Host.self))
        let total = UInt64.max
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Host>(predicate: #Predicate { $0.total == total }))
        }
    }
}
