import SwiftData

extension Main {
    /// The workloads of a published comparison of SwiftData and Realm.
    static func workloads(_ count: Int) -> [(String, () throws -> Void)] {
        [("users", { try users(count) }), ("students", { try students(count) })]
    }

    /// Inserts, fetches, changes and deletes flat objects.
    private static func users(_ count: Int) throws {
        let context = ModelContext(
            try ModelContainer(for: User.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for index in 0..<count {
            context.insert(
                User(firstName: index % 10 == 0 ? "Jane" : "John \(index)", surname: "Smith", age: index % 90))
        }
        try context.save()
        let descriptor = FetchDescriptor<User>(
            predicate: #Predicate { $0.firstName == "Jane" }, sortBy: [SortDescriptor(\.age)])
        for user in try context.fetch(descriptor) { user.firstName = "Wendy" }
        try context.save()
        guard
            try context.fetchCount(FetchDescriptor<User>(predicate: #Predicate { $0.firstName == "Wendy" }))
                == (count + 9) / 10
        else { fatalError("the users were not changed") }
        try context.delete(model: User.self)
        try context.save()
    }

    /// Inserts, searches and deletes objects with relationships.
    private static func students(_ count: Int) throws {
        let context = ModelContext(
            try ModelContainer(for: School.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let schools = (0..<10).map { School(name: "School \($0)") }
        schools.forEach(context.insert)
        for index in 0..<count / 10 {
            let student = Student(firstName: "Student \(index)", surname: "Smith", age: index % 20)
            student.grades = ["Physics", "Maths", "English"].map { Grade(subject: $0, mark: index % 100) }
            context.insert(student)
            student.school = schools[index % 10]
        }
        try context.save()
        let good = FetchDescriptor<Student>(
            predicate: #Predicate { student in
                student.grades.contains { $0.subject == "Physics" && $0.mark > 50 }
                    && student.school?.name == "School 3"
            }, sortBy: [SortDescriptor(\.surname)])
        for student in try context.fetch(good) { student.grades.first?.mark = 100 }
        try context.save()
        for school in schools { context.delete(school) }
        try context.save()
        guard try context.fetchCount(FetchDescriptor<Grade>()) == 0 else { fatalError("grades were left") }
    }
}
