#if SWIFTDATA
import Foundation
import SwiftData

// `modelc hash` reads this file; Apple's SwiftData compiles it.

enum Tone: String, Codable {
    case calm, angry
}

struct Place: Codable {
    var latitude = 0.0
    var longitude = 0.0
}

@available(macOS 14, *)
@Model final class Note {
    @Attribute(.unique) var id: UUID
    var text = ""
    var created: Date?
    var mood = Tone.calm
    var place: Place?
    var words: [String] = []
    @Attribute(.externalStorage) var picture: Data?
    @Relationship(deleteRule: .cascade, inverse: \Label.note) var labels: [Label] = []

    init(id: UUID) { self.id = id }
}

@available(macOS 14, *)
@Model final class Label {
    @Attribute(originalName: "title") var name: String
    var rank = 0
    var note: Note?

    init(name: String) { self.name = name }
}
#endif
