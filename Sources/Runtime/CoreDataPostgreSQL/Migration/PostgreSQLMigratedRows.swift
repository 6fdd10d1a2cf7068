internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The values in a migrated database that the server cannot compute.
struct PostgreSQLMigratedRows {
    let versions: VersionPairs<PostgreSQLSchema>
    let schema: PostgreSQLSchema
    let session: PostgreSQLConnection

    /// The number of rows that are read at once.
    private static let batch = 1000

    /// Calls a function with the rows of a query, a batch at a time.
    private func forEachBatch(_ query: String, _ body: (Rows) throws -> Void) throws {
        _ = try session.run([Statement("DECLARE \"_rows\" NO SCROLL CURSOR FOR \(query)")])
        while true {
            let rows = try session.run([Statement("FETCH \(Self.batch) FROM \"_rows\"")])[0]
            guard rows.count > 0 else { break }
            try body(rows)
        }
        _ = try session.run([Statement("CLOSE \"_rows\"")])
    }

    /// Computes attributes that are derived from the row itself, as a save does.
    func compute(_ slots: [Int], _ pair: EntityPair) throws {
        let table = schema.qualified(pair.destination.table)
        let entity = PostgreSQLEntity(
            mapping: pair.destination, layout: pair.destinationLayout, cache: RowCache(), table: table)
        let attributes = entity.fields.compactMap { field -> (Int, PostgreSQLEntity.Column, PostgreSQLCoding)? in
            guard case .attribute(let column, let coding) = field.kind else { return nil }
            return (field.slot, column, coding)
        }
        let changed = attributes.filter { slots.contains($0.0) }
        guard !changed.isEmpty else { return }
        let columns = attributes.map { ", \(PostgreSQLName.quoted($0.1.name))" }.joined()
        let sets = changed.enumerated().map { "\(PostgreSQLName.quoted($1.1.name)) = u.c\($0)" }
        let parameters = (0...changed.count).map { "$\($0 + 1)" }.joined(separator: ", ")
        let names = changed.indices.map { ", c\($0)" }.joined()
        let update =
            "UPDATE \(table) AS t SET \(sets.joined(separator: ", ")) FROM unnest(\(parameters)) AS u(pk\(names)) "
            + "WHERE t._pk = u.pk"
        try forEachBatch("SELECT _pk\(columns) FROM \(table) WHERE _entity = \(pair.destination.number)") { rows in
            var keys = PostgreSQLArray(element: PostgreSQLValue.TypeNumber.int8)
            var arrays = changed.map { PostgreSQLArray(element: $0.1.type) }
            for row in 0..<rows.count {
                var values = [SlotValue](repeating: .null, count: pair.destinationLayout.slots.count)
                for (index, attribute) in attributes.enumerated() {
                    values[attribute.0] = rows.bytes(row, index + 1).map(attribute.2.value) ?? .null
                }
                let derived = DerivedValues.plain(values, entity)
                guard let key = rows.integer(row, 0) else { continue }
                keys.append(key)
                for (index, attribute) in changed.enumerated() {
                    arrays[index].append(
                        try attribute.2.bytes(derived[attribute.0], "\(entity.layout.name).\(attribute.1.name)"))
                }
            }
            _ = try session.run([Statement(update, [keys.parameter] + arrays.map(\.parameter))])
        }
    }

    // MARK: History

    /// An attribute whose value the history keeps of deleted objects, in both versions.
    private struct Tombstone {
        var old: NSAttributeDescription
        var new: NSAttributeDescription
    }

    /// Converts the values of deleted objects in the history to the names and types of the new version.
    func moveTombstones() throws {
        let table = schema.qualified("_changes")
        guard try session.run([.hasTable(table)])[0].isTrue else { return }
        for pair in versions.pairs {
            let all = tombstones(pair)
            guard all.contains(where: { $0.old.name != $0.new.name || $0.old.attributeType != $0.new.attributeType })
            else { continue }
            try forEachBatch(
                "SELECT \"number\", \"tombstone\" FROM \(table) WHERE \"entity\" = \(pair.destination.number) "
                    + "AND \"tombstone\" IS NOT NULL"
            ) { rows in
                for row in 0..<rows.count {
                    guard let key = rows.integer(row, 0), let bytes = rows.bytes(row, 1),
                        let kept = (try? PropertyListValue(binary: [UInt8](bytes)))?.foundationValue as? [String: Any]
                    else { continue }
                    let list = PropertyListValue(foundation: try moved(kept, all))?.binaryBytes()
                    _ = try session.run([
                        Statement(
                            "UPDATE \(table) SET \"tombstone\" = $2 WHERE \"number\" = $1",
                            [
                                PostgreSQLValue(key),
                                PostgreSQLValue(type: PostgreSQLValue.TypeNumber.bytea, bytes: list),
                            ])
                    ])
                }
            }
        }
    }

    private func tombstones(_ pair: EntityPair) -> [Tombstone] {
        pair.slots.enumerated().compactMap { slot, old in
            guard let old, let before = pair.sourceLayout.slots[old].property as? NSAttributeDescription,
                let after = pair.destinationLayout.slots[slot].property as? NSAttributeDescription,
                before.preservesValueInHistoryOnDeletion, after.preservesValueInHistoryOnDeletion
            else { return nil }
            return Tombstone(old: before, new: after)
        }
    }

    private func moved(_ kept: [String: Any], _ tombstones: [Tombstone]) throws -> [String: Any] {
        var result: [String: Any] = [:]
        for tombstone in tombstones {
            guard let data = kept[tombstone.old.name] as? Data else { continue }
            guard tombstone.old.attributeType != tombstone.new.attributeType else {
                result[tombstone.new.name] = data
                continue
            }
            guard let before = PostgreSQLCoding(tombstone.old), let after = PostgreSQLCoding(tombstone.new),
                let value = data.withUnsafeBytes({ before.value($0) }).anyValue,
                let converted = ValueConversion.slotValue(value, tombstone.new.attributeType),
                let bytes = try after.bytes(converted, tombstone.new.name)
            else { continue }
            result[tombstone.new.name] = Data(bytes)
        }
        return result
    }
}
