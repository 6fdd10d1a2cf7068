import SwiftData

/// The first release: the dates of a trip are a text.
enum TripsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
        var name: String
        /// The first and the last day, such as `2025-07-01/2025-07-14`.
        var days: String

        init(name: String, days: String) {
            self.name = name
            self.days = days
        }
    }
}
