internal import ArgumentParser

/// The limits of arguments about PostgreSQL databases.
enum DatabaseArguments {
    static func check(partitions: Int) throws {
        guard (0...1024).contains(partitions) else {
            throw ValidationError("The number of partitions must be from 0 to 1024.")
        }
    }

    static func check(schema: String?) throws {
        guard schema.map({ (1...63).contains($0.utf8.count) }) ?? true else {
            throw ValidationError("The name of a schema has from 1 to 63 bytes.")
        }
    }
}
