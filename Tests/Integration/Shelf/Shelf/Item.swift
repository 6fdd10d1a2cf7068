import SwiftData

@Model
final class Item {
    var title: String
    var count: Int

    init(title: String, count: Int) {
        self.title = title
        self.count = count
    }
}
