public import CoreData

/// A flight; see `Airport`.
public class Flight: NSManagedObject {}

extension Flight {
    /// Inserts a flight described by the service, or updates the times of a known one.
    @discardableResult
    static func update(from info: FlightInfo, in context: NSManagedObjectContext) throws -> Flight {
        let request = NSFetchRequest<Flight>(entityName: "Flight")
        request.predicate = NSPredicate(format: "ident_ = %@", info.ident)
        let flight = try context.fetch(request).first ?? Flight(context: context)
        flight.ident = info.ident
        flight.origin = Airport.withICAO(info.origin, context: context)
        flight.destination = Airport.withICAO(info.destination, context: context)
        flight.airline = Airline.withCode(info.airlineCode, in: context)
        flight.departure = info.departure
        flight.arrival = info.arrival
        flight.aircraft = info.aircraft
        return flight
    }

    var ident: String {
        get { ident_ ?? "Unknown" }
        set { ident_ = newValue }
    }
    var aircraft: String {
        get { aircraft_ ?? "Unknown" }
        set { aircraft_ = newValue }
    }
    var arrival: Date {
        get { arrival_ ?? .distantFuture }
        set { arrival_ = newValue }
    }
    var origin: Airport? {
        get { origin_ }
        set { origin_ = newValue }
    }
    var destination: Airport? {
        get { destination_ }
        set { destination_ = newValue }
    }
    var airline: Airline? {
        get { airline_ }
        set { airline_ = newValue }
    }
    /// The number without the airline's code.
    var number: Int { Int(ident.drop { !$0.isNumber }) ?? 0 }
}

/// A search for flights.
struct FlightSearch {
    var destination: Airport
    var origin: Airport?
    var airline: Airline?
    var inTheAir = false

    var predicate: NSPredicate {
        var format = "destination_ = %@"
        var arguments: [NSManagedObject] = [destination]
        if let origin {
            format += " and origin_ = %@"
            arguments.append(origin)
        }
        if let airline {
            format += " and airline_ = %@"
            arguments.append(airline)
        }
        if inTheAir { format += " and departure != nil" }
        return NSPredicate(format: format, argumentArray: arguments)
    }

    var request: NSFetchRequest<Flight> {
        let request = NSFetchRequest<Flight>(entityName: "Flight")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "arrival_", ascending: true)]
        return request
    }
}
