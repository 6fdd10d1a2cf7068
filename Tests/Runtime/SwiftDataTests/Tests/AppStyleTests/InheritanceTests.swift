// swift-format-ignore-file
import SwiftData
import Testing

@Model
class Vehicle {
    @Attribute(.preserveValueOnDeletion) var name: String
    var wheels: Int = 4
    var owner: Driver?
    let serial: String

    init(name: String) {
        self.name = name
        serial = "serial of \(name)"
    }
}

@Model
class Car: Vehicle {
    var doors: Int
    @Attribute(.preserveValueOnDeletion) var color: String? = "red"

    init(name: String, doors: Int) {
        self.doors = doors
        super.init(name: name)
    }
}

@Model
final class SportsCar: Car {
    var topSpeed: Double = 200

    override init(name: String, doors: Int) {
        super.init(name: name, doors: doors)
        wheels = 3
    }
}

@Model
final class Bike: Vehicle {
    var hasBell = true

    override init(name: String) {
        super.init(name: name)
        self.wheels = 2
    }
}

@Model
final class Driver {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Vehicle.owner) var vehicles: [Vehicle] = []
    init(name: String) { self.name = name }
}

@Suite struct InheritanceTests {
    private let context: ModelContext

    init() throws {
        let container = try ModelContainer(
            for: Vehicle.self, Car.self, SportsCar.self, Bike.self, Driver.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func seed() throws {
        let driver = Driver(name: "d")
        context.insert(driver)
        driver.vehicles = [
            Vehicle(name: "cart"), Car(name: "beetle", doors: 3), SportsCar(name: "911", doors: 2), Bike(name: "bmx"),
        ]
        try context.save()
    }

    @Test func modelsHaveValuesBeforeTheirInsertion() {
        let car = SportsCar(name: "x", doors: 2)
        #expect(car.name == "x" && car.doors == 2 && car.topSpeed == 200 && car.wheels == 3 && car.color == "red")
        car.name = "y"
        car.doors = 5
        car.color = nil
        #expect(car.name == "y" && car.doors == 5 && car.color == nil)
    }

    @Test func baseFetchIncludesSubclasses() throws {
        try seed()
        let all = try ModelContext(context.container).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
        #expect(all.map(\.name) == ["911", "beetle", "bmx", "cart"])
        #expect(all.map { "\(type(of: $0))" } == ["SportsCar", "Car", "Bike", "Vehicle"])
        let sports = try #require(all.first as? SportsCar)
        #expect(sports.topSpeed == 200 && sports.doors == 2 && sports.wheels == 3 && sports.owner?.name == "d")
        #expect((all[2] as? Bike)?.hasBell == true)
        #expect(try context.fetch(FetchDescriptor<Car>()).count == 2)
        #expect(try context.fetchCount(FetchDescriptor<Bike>()) == 1)
        #expect(all.first?.owner?.vehicles.count == 4)
        #expect(all.map(\.serial) == all.map { "serial of \($0.name)" })
    }

    @Test func predicatesSelectSubclasses() throws {
        try seed()
        #expect(
            try context.fetch(FetchDescriptor<Car>(predicate: #Predicate { $0.name == "911" && $0.doors == 2 })).count
                == 1)
        #expect(try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0 is Car })).count == 2)
        let fast = #Predicate<Vehicle> { vehicle in
            if let car = vehicle as? Car { car.doors > 2 } else { false }
        }
        #expect(try context.fetch(FetchDescriptor(predicate: fast)).map(\.name) == ["beetle"])
        #expect(try context.fetch(FetchDescriptor<SportsCar>(sortBy: [SortDescriptor(\.name)])).count == 1)
        try context.delete(model: Car.self, includeSubclasses: true)
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 2)
    }

    @Test func changesOfSubclassesAreSavedAndObserved() throws {
        try seed()
        let car = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
        car.topSpeed = 300
        car.name = "912"
        car.owner = nil
        try context.save()
        let again = try #require(try ModelContext(context.container).fetch(FetchDescriptor<SportsCar>()).first)
        #expect(again.topSpeed == 300 && again.name == "912" && again.owner == nil)
        nonisolated(unsafe) var changes = 0
        withObservationTracking {
            _ = car.topSpeed
            _ = car.name
        } onChange: {
            changes += 1
        }
        car.topSpeed = 1
        #expect(changes == 1)
    }

    /// Counts the notifications that a change causes, for the properties that a block reads.
    private func changes(of read: () -> Void, by change: () throws -> Void) rethrows -> Int {
        nonisolated(unsafe) var count = 0
        withObservationTracking(read) { count += 1 }
        try change()
        return count
    }

    @Test func observersSeeChangesOfInheritedProperties() throws {
        try seed()
        let car = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
        #expect(changes(of: { _ = car.name }) { car.name = "changed" } == 1)
        #expect(changes(of: { _ = car.name }) { context.rollback() } == 1)
        #expect(car.name == "911")
        let driver = try #require(car.owner)
        #expect(changes(of: { _ = car.owner }) { driver.vehicles = [] } == 1)
        let other = ModelContext(context.container)
        try other.fetch(FetchDescriptor<SportsCar>()).first?.wheels = 6
        try other.save()
        let count = try changes(of: { _ = car.wheels }) { _ = try context.fetchCount(FetchDescriptor<Car>()) }
        #expect(count == 1 && car.wheels == 6)
    }

    @Test func historyHasInheritedProperties() throws {
        try seed()
        let car = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
        car.wheels = 7
        car.doors = 8
        car.topSpeed = 9
        try context.save()
        context.delete(car)
        try context.save()
        var updated: Set<AnyKeyPath> = []
        for change in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes) {
            switch change {
            case .update(let update as DefaultHistoryUpdate<SportsCar>):
                updated.formUnion(update.updatedAttributes.map { $0 as AnyKeyPath })
            case .delete(let deletion as DefaultHistoryDelete<SportsCar>):
                #expect(deletion.tombstone[\.name] as? String == "911" && deletion.tombstone[\.color] as? String == "red")
                #expect(Array(deletion.tombstone).count == 2)
            default: break
            }
        }
        #expect(updated == [\SportsCar.wheels, \SportsCar.doors, \SportsCar.topSpeed])
    }
}
