import CSQLiteReference
import CoreData
import Foundation

/// The benchmark *Students* of Emerge Tools' comparison: 100 schools with students and their grades are created,
/// students are found by their grades, and the schools deleted with them.
enum StudentBenchmarks {
    private static let schools = 100
    private static let grades = 2

    static func all(_ stack: QuotedStack) -> [Benchmark] {
        let count = Amount.rows(100_000)
        return [
            Benchmark(
                name: "quoted/students", size: "\(count) students of 100 schools, 2 grades each, found and deleted",
                rounds: 3, ours: { try run(count, stack) }, reference: { try runReference(count, stack) },
                referenceName: "sqlite3")
        ]
    }

    private static func value(_ student: Int, _ grade: Int) -> Int64 { Int64((student * 7 + grade * 13) % 100) }

    private static func expected(_ count: Int) -> Int {
        (0..<count).count { student in (0..<grades).contains { value(student, $0) >= 95 } }
    }

    private static func run(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            let context = try stack.context(url)
            let (perSchool, expected) = (count / schools, expected(count / schools * schools))
            return try ObjectBenchmarks.seconds {
                for number in 0..<schools {
                    let school = School(context: context)
                    school.name = "School \(number)"
                    for student in number * perSchool..<(number + 1) * perSchool {
                        let made = Student(context: context)
                        made.name = "Student \(student)"
                        made.school = school
                        for index in 0..<grades {
                            let grade = Grade(context: context)
                            grade.subject = index == 0 ? "Mathematics" : "Physics"
                            grade.value = value(student, index)
                            grade.student = made
                        }
                    }
                    try context.save()
                    context.reset()
                }
                let request = NSFetchRequest<Student>(entityName: "Student")
                request.predicate = NSPredicate(format: "ANY grades.value >= %d", 95)
                let length = try context.fetch(request).reduce((0, 0)) { ($0.0 + 1, $0.1 + ($1.name?.utf8.count ?? 0)) }
                try QuotedStack.check(length.0 == expected && length.1 > 0, "\(length.0) students were found")
                for school in try context.fetch(NSFetchRequest<School>(entityName: "School")) {
                    context.delete(school)
                    try context.save()
                }
                let rest = try context.count(for: NSFetchRequest<Grade>(entityName: "Grade"))
                try QuotedStack.check(rest == 0, "\(rest) grades are left")
            }
        }
    }

    private static func runReference(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            _ = try stack.context(url)
            let database = try ReferenceDatabase(url)
            let (perSchool, expected) = (count / schools, expected(count / schools * schools))
            return try ObjectBenchmarks.seconds {
                let school = try database.prepare("INSERT INTO ZSCHOOL(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, 5, 1, ?)")
                let student = try database.prepare(
                    "INSERT INTO ZSTUDENT(Z_PK, Z_ENT, Z_OPT, ZSCHOOL, ZNAME) VALUES(?, 6, 1, ?, ?)")
                let grade = try database.prepare(
                    "INSERT INTO ZGRADE(Z_PK, Z_ENT, Z_OPT, ZVALUE, ZSTUDENT, ZSUBJECT) VALUES(?, 2, 1, ?, ?, ?)")
                defer { for statement in [school, student, grade] { sqlite3_finalize(statement) } }
                for number in 0..<schools {
                    try database.run("BEGIN IMMEDIATE")
                    sqlite3_bind_int64(school, 1, Int64(number + 1))
                    ReferenceDatabase.bind("School \(number)", school, 2)
                    try ReferenceDatabase.step(school)
                    for made in number * perSchool..<(number + 1) * perSchool {
                        sqlite3_bind_int64(student, 1, Int64(made + 1))
                        sqlite3_bind_int64(student, 2, Int64(number + 1))
                        ReferenceDatabase.bind("Student \(made)", student, 3)
                        try ReferenceDatabase.step(student)
                        for index in 0..<grades {
                            sqlite3_bind_int64(grade, 1, Int64(made * grades + index + 1))
                            sqlite3_bind_int64(grade, 2, value(made, index))
                            sqlite3_bind_int64(grade, 3, Int64(made + 1))
                            ReferenceDatabase.bind(index == 0 ? "Mathematics" : "Physics", grade, 4)
                            try ReferenceDatabase.step(grade)
                        }
                    }
                    try database.run("COMMIT")
                }
                let find = try database.prepare(
                    "SELECT ZNAME FROM ZSTUDENT WHERE EXISTS (SELECT 1 FROM ZGRADE WHERE ZGRADE.ZSTUDENT = ZSTUDENT.Z_PK "
                        + "AND ZVALUE >= 95)")
                defer { sqlite3_finalize(find) }
                var (found, length) = (0, 0)
                while sqlite3_step(find) == SQLITE_ROW {
                    found += 1
                    length += ReferenceDatabase.text(find, 0).utf8.count
                }
                try QuotedStack.check(found == expected && length > 0, "\(found) students were found")
                for number in 0..<schools {
                    try database.run("BEGIN IMMEDIATE")
                    try database.run(
                        "DELETE FROM ZGRADE WHERE ZSTUDENT IN (SELECT Z_PK FROM ZSTUDENT WHERE ZSCHOOL = \(number + 1))"
                    )
                    try database.run("DELETE FROM ZSTUDENT WHERE ZSCHOOL = \(number + 1)")
                    try database.run("DELETE FROM ZSCHOOL WHERE Z_PK = \(number + 1)")
                    try database.run("COMMIT")
                }
            }
        }
    }
}
