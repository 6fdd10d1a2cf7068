import SwiftData

@Model final class Half {
    var name: String
