import SwiftData

@Model final class Note {
    var text: String = ""
    var folder: Folder
}

@Model final class Folder {
    var name: String = ""
    var notes: [Note] = []
}
