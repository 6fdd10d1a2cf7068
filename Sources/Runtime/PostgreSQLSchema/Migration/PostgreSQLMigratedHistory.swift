internal import CoreData
internal import Foundation

/// The history of a PostgreSQL store that is being migrated: entity numbers and bits of changed properties. Values of
/// deleted objects are kept by name (`PostgreSQLMigratedRows`).
struct PostgreSQLMigratedHistory {
    private let versions: VersionPairs<PostgreSQLSchema>

    init(_ versions: VersionPairs<PostgreSQLSchema>) {
        self.versions = versions
    }

    /// Returns the statements for the table of changes. Changes of objects whose entity was removed are deleted.
    func statements(_ table: String) -> [String] {
        var result: [String] = []
        let removed = Set(versions.source.entities.map(\.number)).subtracting(versions.pairs.map(\.source.number))
        if !removed.isEmpty {
            // After an online migration, there are changes of new entities.
            let list = removed.sorted().map(String.init).joined(separator: ", ")
            result.append("DELETE FROM \(table) WHERE \"entity\" IN (\(list))")
        }
        for pair in versions.pairs where pair.slots != Array(pair.sourceLayout.slots.indices) {
            result.append(
                "UPDATE \(table) SET \"columns\" = \(bits(pair)) WHERE \"entity\" = \(pair.source.number) "
                    + "AND octet_length(\"columns\") = \((pair.sourceLayout.slots.count + 7) / 8)")
        }
        let changed = versions.pairs.filter { $0.source.number != $0.destination.number }
        guard !changed.isEmpty else { return result }
        let cases = changed.map { "WHEN \($0.source.number) THEN \($0.destination.number)" }.joined(separator: " ")
        result.append("UPDATE \(table) SET \"entity\" = CASE \"entity\" \(cases) ELSE \"entity\" END")
        return result
    }

    /// Returns the bits of the new slots, as an expression over those of the old ones.
    private func bits(_ pair: EntityPair) -> String {
        // The first slot is the highest bit of a byte, which the server counts from the lowest.
        func bit(_ slot: Int) -> Int { slot / 8 * 8 + 7 - slot % 8 }
        let zeros = String(repeating: "00", count: (pair.slots.count + 7) / 8)
        return pair.slots.enumerated().reduce("'\\x\(zeros)'::bytea") { text, slot in
            guard let old = slot.element else { return text }
            return "set_bit(\(text), \(bit(slot.offset)), get_bit(\"columns\", \(bit(old))))"
        }
    }
}
