// swift-format-ignore-file
import SwiftData
import Testing

@Model
class Vehicle {
    var name: String
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
    var color: String? = "red"

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

    @Test func valuesBeforeInsertion() {
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

    @Test func predicatesOfSubclasses() throws {
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

    @Test func changesOfSubclasses() throws {
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
}
