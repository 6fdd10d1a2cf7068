internal import CoreData
internal import Foundation
internal import ModelMigration

/// What of the tables of an old version the new version keeps: tables, and in them columns, possibly under other names.
struct PostgreSQLTableMatch {
    typealias Versions = VersionPairs<PostgreSQLSchema>

    /// A column in both versions.
    struct Column {
        var old: String
        var new: String
        /// The expression for the values in the new type; `nil` if the type stays.
        var conversion: String?
        /// The property, for comments.
        var property: String
    }

    /// The new names of the tables that stay, by their old names.
    private(set) var tables: [String: String] = [:]
    /// The columns that stay, by the old name of the table.
    private(set) var columns: [String: [Column]] = [:]

    private let versions: Versions

    init(_ versions: Versions) {
        self.versions = versions
        matchTables()
        matchJoinTables()
        for (old, new) in tables { matchColumns(old, new) }
    }

    /// A table stays if all rows of a new table come from it.
    private mutating func matchTables() {
        var candidates: [String: [PostgreSQLTable]] = [:]
        for table in versions.destination.tables {
            let sources = Set(versions.pairs(in: table.name).map(\.source.table))
            guard sources.count == 1, let source = sources.first,
                let old = versions.source.tables.first(where: { $0.name == source }),
                // A unique constraint on a partitioned table would have to contain the key.
                old.partitions == 0 || table.uniques.isEmpty
            else { continue }
            candidates[source, default: []].append(table)
        }
        for (source, tables) in candidates {
            let root = versions.source.tables.first { $0.name == source }?.root ?? 0
            let heir = versions.destinationNumbers[root].flatMap { versions.destination.entity(number: $0)?.table }
            let chosen =
                tables.first { $0.name == heir } ?? tables.first { $0.name == source }
                ?? tables.min { $0.name < $1.name }
            self.tables[source] = chosen?.name
        }
    }

    /// A join table stays if it keeps the same relationships, with the same order.
    private mutating func matchJoinTables() {
        var taken: Set<String> = []
        for pair in versions.pairs {
            for slot in pair.destination.slotColumns.indices {
                guard case .join(let new) = pair.destination.slotColumns[slot],
                    case .join(let old)? = pair.sourcePosition(slot), old.own == new.own, old.other == new.other,
                    old.order == new.order, old.otherOrder == new.otherOrder, old.isReflexive == new.isReflexive,
                    tables[old.table] == nil, taken.insert(new.table).inserted
                else { continue }
                tables[old.table] = new.table
                columns[old.table] = ["_owner", "_member", "_order", "_owner_order"].filter { name in
                    versions.source.joinTables.first { $0.name == old.table }?.columnNames.contains(name) ?? false
                }.map { Column(old: $0, new: $0, conversion: nil, property: "") }
            }
        }
    }

    // MARK: Columns

    private mutating func matchColumns(_ old: String, _ new: String) {
        guard let before = versions.source.tables.first(where: { $0.name == old }) else { return }
        var found: [String: [Column]] = [:]
        for pair in versions.pairs(in: new) {
            for (slot, position) in pair.destination.slotColumns.enumerated() {
                for column in columns(position, pair: pair, slot: slot) {
                    found[column.new, default: []].append(column)
                }
            }
        }
        for column in membershipColumns(of: new) { found[column.new, default: []].append(column) }
        var result = PostgreSQLSchema.reservedColumns.map { Column(old: $0, new: $0, conversion: nil, property: "") }
        var taken = Set(result.map(\.old))
        let known = Set(before.columnNames)
        for (_, candidates) in found.sorted(by: { $0.key < $1.key }) {
            guard let first = candidates.first, candidates.allSatisfy({ $0.old == first.old }),
                known.contains(first.old), taken.insert(first.old).inserted
            else { continue }
            result.append(first)
        }
        columns[old] = result
    }

    private func columns(_ position: SlotColumn, pair: EntityPair, slot: Int) -> [Column] {
        let property = pair.destinationLayout.slots[slot].property
        let name = "\(pair.destination.name).\(property.name)"
        switch (position, pair.sourcePosition(slot)) {
        case (.attribute(let new), .attribute(let old)?):
            guard let after = property as? NSAttributeDescription, let position = pair.slots[slot],
                let before = pair.sourceLayout.slots[position].property as? NSAttributeDescription,
                MigratedValue.derivation(before) == MigratedValue.derivation(after),
                before.attributeType == after.attributeType || MigratedValue.derivation(after) == nil
            else { return [] }
            return [Column(old: old, new: new, conversion: conversion(old, before, after), property: name)]
        case (.composite(let new), .composite(let old)?):
            let columns = Dictionary(old.map { ($0.path, $0.column) }) { first, _ in first }
            let targets = Dictionary(new.map { ($0.path, $0.column) }) { first, _ in first }
            return (pair.elements(slot)?.pairs ?? []).compactMap { before, after in
                guard let from = columns[before.path], let to = targets[after.path] else { return nil }
                return Column(
                    old: from, new: to, conversion: conversion(from, before.element, after.element),
                    property: ([name] + after.path).joined(separator: "."))
            }
        case (.toOne(let new), .toOne(let old)?):
            return [(old.key, new.key), (old.entity, new.entity), (old.order, new.order)].compactMap { from, to in
                guard let from, let to else { return nil }
                return Column(old: from, new: to, conversion: nil, property: name)
            }
        default: return []
        }
    }

    private func conversion(
        _ column: String, _ old: NSAttributeDescription, _ new: NSAttributeDescription
    ) -> String? {
        guard old.attributeType != new.attributeType else { return nil }
        let name = SQLFragment(PostgreSQLName.quoted(column))
        return PostgreSQLMigrationDialect.conversion(name, old: old.attributeType, new: new.attributeType).text
    }

    /// Returns the columns in the rows of members that relationships without an inverse use.
    private func membershipColumns(of table: String) -> [Column] {
        versions.destination.entities.flatMap { owner -> [Column] in
            guard let layout = versions.destinationLayouts[owner.number] else { return [] }
            return owner.slotColumns.enumerated().flatMap { slot, position -> [Column] in
                guard case .inverse(let new) = position, new.isVirtual, new.table == table,
                    layout.slots[slot].property.owner === layout.entity
                else { return [] }
                let name = layout.slots[slot].name
                let sources = versions.pairs(below: owner.number).compactMap { pair -> InverseColumns? in
                    guard let slot = pair.destinationLayout.index(of: name),
                        case .inverse(let old)? = pair.sourcePosition(slot), old.isVirtual, tables[old.table] == table
                    else { return nil }
                    return old
                }
                guard let old = sources.first, sources.allSatisfy({ $0 == old }) else { return [] }
                return [(old.key, new.key), (old.order, new.order)].compactMap { from, to in
                    guard let from, let to else { return nil }
                    return Column(old: from, new: to, conversion: nil, property: "\(owner.name).\(name)")
                }
            }
        }
    }
}
