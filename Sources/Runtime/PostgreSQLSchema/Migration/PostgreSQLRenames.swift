internal import CoreData

/// Renames that must not collide with each other, such as an exchange of two names.
struct PostgreSQLRenames {
    /// A name and the one that it gets.
    struct Rename {
        var old: String
        var new: String
        /// Returns the statement that renames it.
        var statement: (_ old: String, _ new: String) -> String
    }

    private var pending: [Rename] = []
    private var taken: Set<String> = []

    /// Adds a name that is there, with the one that it gets: the same if it stays.
    mutating func add(
        _ old: String, to new: String, _ statement: @escaping (_ old: String, _ new: String) -> String = { _, _ in "" }
    ) {
        taken.insert(old)
        if old != new { pending.append(Rename(old: old, new: new, statement: statement)) }
    }

    /// Returns the statements in an order in which each new name is free when it is given.
    func statements() -> [String] {
        var (pending, taken) = (pending, taken)
        var result: [String] = []
        func rename(_ item: Rename, to name: String) {
            result.append(item.statement(item.old, name))
            taken.remove(item.old)
            taken.insert(name)
        }
        while !pending.isEmpty {
            if let index = pending.firstIndex(where: { !taken.contains($0.new) }) {
                let item = pending.remove(at: index)
                rename(item, to: item.new)
            } else {
                // A circle: one of the names steps aside.
                var number = 1
                while taken.contains("_renamed_\(number)") { number += 1 }
                rename(pending[0], to: "_renamed_\(number)")
                pending[0].old = "_renamed_\(number)"
            }
        }
        return result
    }

    /// Returns a name for something that gives up its own.
    static func formerName(_ name: String, _ isTaken: (String) -> Bool) -> String {
        var candidate = PostgreSQLName.fitted("_old_\(name)")
        var number = 2
        while isTaken(candidate) {
            candidate = PostgreSQLName.fitted("_old_\(name)_\(number)")
            number += 1
        }
        return candidate
    }
}
