import SwiftData

@Model final class Note {
    var made = makeDate()
    var color: Color
    var tags: Set<String>
    var next: Note?
    @Published var draft: String
    #if BETA
    var rating: Int
    #endif
}
