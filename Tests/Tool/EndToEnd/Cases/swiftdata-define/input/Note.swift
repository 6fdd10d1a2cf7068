import SwiftData
@Model class Note {
    var x: String?
    #if EXTRA
    var y: Int?
    #endif
}
