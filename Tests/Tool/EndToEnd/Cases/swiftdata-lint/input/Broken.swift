import SwiftData

@Model class Book {
    var title: Titles.Title
}
