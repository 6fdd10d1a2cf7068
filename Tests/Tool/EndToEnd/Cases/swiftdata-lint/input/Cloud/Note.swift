import Foundation
import SwiftData

@Model final class Note {
    @Attribute(.unique) var id: UUID
    var title: String
    var created = Date.now
    var kind = Kind.plain
    @Relationship(deleteRule: .deny, inverse: \Folder.notes) var folder: Folder?

    init(id: UUID, title: String) {
        self.id = id
        self.title = title
    }
}

@Model final class Folder {
    var name: String = ""
    var notes: [Note] = []
}

enum Kind: String, Codable { case plain, urgent }
