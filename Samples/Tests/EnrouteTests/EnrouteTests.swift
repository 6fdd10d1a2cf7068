import CoreData
import Testing

@testable import Enroute

@MainActor @Suite struct EnrouteTests {
    private let context = PersistenceController().container.viewContext

    @Test func anAirportIsFetchedOrCreated() throws {
        let airport = Airport.withICAO("KSFO", context: context)
        #expect(airport.name == "KSFO")
        #expect(Airport.withICAO("KSFO", context: context) === airport)
        try Airport.update(from: FlightService.airports[0], context: context)
        #expect(airport.friendlyName == "San Francisco Int'l - San Francisco")
        #expect(try context.count(for: Airport.fetchRequest(NSPredicate(value: true))) == 1)
    }

    @Test func anExistingFlightIsUpdatedInPlace() throws {
        for info in FlightService.morning + FlightService.noon { try Flight.update(from: info, in: context) }
        let sfo = Airport.withICAO("KSFO", context: context)
        #expect(sfo.flightsTo.count == 3)
        #expect(sfo.flightsFrom.map(\.number) == [900])
        #expect(sfo.incoming.map(\.ident) == ["DLH454", "UAL123", "JBU615"])
    }

    @Test func changesOfTheNameAreObserved() {
        let airport = Airport.withICAO("KSFO", context: context)
        var names: [String?] = []
        let observation = airport.observe(\.name_, options: .new) { _, change in names.append(change.newValue ?? nil) }
        airport.name = "SFO"
        airport.location = "San Francisco"
        airport.setValue("San Francisco Int'l", forKey: "name_")
        observation.invalidate()
        airport.name = "unobserved"
        #expect(names == ["SFO", "San Francisco Int'l"])
    }

    @Test func airportsAreSortedByLocation() {
        let names = ["KSFO": "San Francisco", "EDDF": "Frankfurt", "KJFK": "New York"]
        for (icao, location) in names { Airport.withICAO(icao, context: context).location = location }
        let airports = (try? context.fetch(Airport.fetchRequest(NSPredicate(value: true)))) ?? []
        #expect(airports.map(\.icao) == ["EDDF", "KJFK", "KSFO"])
        #expect(airports.reversed().sorted() == airports)
    }
}
