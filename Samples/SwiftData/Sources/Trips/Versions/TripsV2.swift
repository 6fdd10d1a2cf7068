import SwiftData

typealias Trip = TripsV2.Trip
typealias Stop = TripsV2.Stop

/// The current release: a trip has a first and a last day, and stops.
enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

    @Model
    final class Trip {
        #Index<Trip>([\.firstDay])

        var name: String
        var firstDay: String = ""
        var lastDay: String = ""
        var kind: Kind = Kind.leisure
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip)
        var stops: [Stop] = []

        init(name: String, firstDay: String, lastDay: String, kind: Kind = .leisure) {
            self.name = name
            self.firstDay = firstDay
            self.lastDay = lastDay
            self.kind = kind
        }
    }

    enum Kind: String, Codable, Sendable {
        case leisure, business
    }

    @Model
    final class Stop {
        var place: String
        var nights: Int
        var trip: Trip?

        init(place: String, nights: Int) {
            self.place = place
            self.nights = nights
        }
    }
}
