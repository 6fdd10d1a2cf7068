import SwiftData

/// The classes of the generated Core Data model, as SwiftData models.
enum Models {
    @Model final class Author {
        var name: String?
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book]?
        init(name: String) { self.name = name }
    }

    @Model final class Book {
        var isbn: String?
        var isNew: Bool
        var pages: Int64
        var price: Double
        var published: Date?
        var title: String?
        var author: Author?

        init(isbn: String, pages: Int64, price: Double, published: Date, title: String) {
            self.isbn = isbn
            self.isNew = true
            self.pages = pages
            self.price = price
            self.published = published
            self.title = title
        }
    }
}

/// The models of a published comparison of SwiftData and Realm: flat users, and students with schools and grades.
@Model final class User {
    @Attribute(.unique) var id: UUID
    var firstName: String
    var surname: String
    var age: Int

    init(id: UUID = UUID(), firstName: String, surname: String, age: Int) {
        self.id = id
        self.firstName = firstName
        self.surname = surname
        self.age = age
    }
}

@Model final class School {
    @Attribute(.unique) var id: UUID
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Student.school) var students: [Student] = []

    init(id: UUID = UUID(), name: String) {
        self.id = id
        self.name = name
    }
}

@Model final class Student {
    @Attribute(.unique) var id: UUID
    var firstName: String
    var surname: String
    var age: Int
    var school: School?
    @Relationship(deleteRule: .cascade, inverse: \Grade.student) var grades: [Grade] = []

    init(id: UUID = UUID(), firstName: String, surname: String, age: Int) {
        self.id = id
        self.firstName = firstName
        self.surname = surname
        self.age = age
    }
}

@Model final class Grade {
    var subject: String
    var mark: Int
    var student: Student?

    init(subject: String, mark: Int) {
        self.subject = subject
        self.mark = mark
    }
}
