public import CoreData

/// An airline; see `Airport`.
public class Airline: NSManagedObject {}

extension Airline {
    /// Returns the airline with a code, creating it if there is none yet.
    static func withCode(_ code: String, in context: NSManagedObjectContext) -> Airline {
        let request = NSFetchRequest<Airline>(entityName: "Airline")
        request.predicate = NSPredicate(format: "code_ = %@", code)
        if let airline = (try? context.fetch(request))?.first { return airline }
        let airline = Airline(context: context)
        airline.code_ = code
        return airline
    }

    var code: String { code_ ?? "???" }
    var name: String {
        get { name_ ?? code }
        set { name_ = newValue }
    }
    var shortName: String {
        get { (shortName_ ?? "").isEmpty ? name : (shortName_ ?? "") }
        set { shortName_ = newValue }
    }
    var flights: Set<Flight> { flights_ as? Set<Flight> ?? [] }
}
