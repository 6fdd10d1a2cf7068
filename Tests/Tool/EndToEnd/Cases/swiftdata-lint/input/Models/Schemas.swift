import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [SchemaV1.Team.self, Venue.self] }

    @Model class Team {
        var name: String = ""
    }
}

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Team.self, Game.self, Venue.self, Player.self] }
}

struct Address: Codable {
    var city = ""
}

@Model class Team {
    var name: String = ""
    var address: Address?
    var homeGames: [Game] = []
    var players: [Player] = []
}

@Model class Venue {
    var name: String = ""
    var address: Address?
    var games: [Game] = []
}

@Model class Game {
    var home: Team?
    var away: Team? // modelc:ignore swiftdata-ambiguous-inverse
    var venue: Venue
}

@Model class Player {
    // modelc:ignore swiftdata-required-inverse, swiftdata-shared-value
    @Relationship(deleteRule: .nullify)
    var team: Team
}

@Model class Draft {
    var text: String = ""
}

extension Old {
    @Model class Player {
        var name: String = ""
    }
}

enum Old {}
