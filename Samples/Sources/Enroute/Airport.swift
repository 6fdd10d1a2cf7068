public import CoreData

/// An airport. Its properties are generated from the model in an extension (Category/Extension); the class is part of
/// the app.
///
/// The names of attributes end in `_`: the app uses the computed properties below, which are not optional.
public class Airport: NSManagedObject {}

extension Airport {
    /// Returns the airport with a code, creating it if there is none yet. A new airport has only its code until it is
    /// updated.
    static func withICAO(_ icao: String, context: NSManagedObjectContext) -> Airport {
        let request = fetchRequest(NSPredicate(format: "icao_ = %@", icao))
        let airports = (try? context.fetch(request)) ?? []
        if let airport = airports.first { return airport }
        let airport = Airport(context: context)
        airport.icao = icao
        return airport
    }

    /// Updates the airport described by the service, creating it if there is none yet, and saves.
    static func update(from info: AirportInfo, context: NSManagedObjectContext) throws {
        let airport = withICAO(info.icao, context: context)
        airport.latitude = info.latitude
        airport.longitude = info.longitude
        airport.name = info.name
        airport.location = info.location
        try context.save()
    }

    static func fetchRequest(_ predicate: NSPredicate) -> NSFetchRequest<Airport> {
        let request = NSFetchRequest<Airport>(entityName: "Airport")
        request.sortDescriptors = [
            NSSortDescriptor(key: "location_", ascending: true), NSSortDescriptor(key: "icao_", ascending: true),
        ]
        request.predicate = predicate
        return request
    }

    var icao: String {
        get { icao_ ?? "????" }
        set { icao_ = newValue }
    }
    var name: String {
        get { name_ ?? icao }
        set { name_ = newValue }
    }
    var location: String {
        get { location_ ?? "" }
        set { location_ = newValue }
    }
    var flightsTo: Set<Flight> {
        get { flightsTo_ as? Set<Flight> ?? [] }
        set { flightsTo_ = newValue as NSSet }
    }
    var flightsFrom: Set<Flight> {
        get { flightsFrom_ as? Set<Flight> ?? [] }
        set { flightsFrom_ = newValue as NSSet }
    }
    var friendlyName: String { location.isEmpty ? name : "\(name) - \(location)" }

    /// The flights on their way here, fetched in the object's own context.
    var incoming: [Flight] {
        guard let context = managedObjectContext else { return [] }
        return (try? context.fetch(FlightSearch(destination: self, inTheAir: true).request)) ?? []
    }
}

extension Airport: Comparable {
    /// Orders airports by location, then by name.
    public static func < (one: Airport, other: Airport) -> Bool {
        (one.location, one.friendlyName) < (other.location, other.friendlyName)
    }
}
