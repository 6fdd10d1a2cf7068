internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema

/// Compares the objects of two stores.
struct StoreComparison {
    /// The way to find an object of one store in the other.
    enum Key: Equatable {
        case primaryKey
        /// By the values of attributes, named as in the first model.
        case attributes([String])
    }

    /// An attribute that does not identify objects.
    struct AmbiguousKey: Error {
        /// The problem, in one sentence.
        var message: String
        var path: String
    }

    private let old: StoreSide
    private let new: StoreSide
    private let match: StoreMatch
    private let keys: [String: Key]
    /// Whether members and owners that do not exist are compared too.
    private let includesMissing: Bool
    /// The identities of the objects that are found by attributes, by entity and primary key.
    private var oldIdentities: [String: [Int64: ObjectIdentity]] = [:]
    private var newIdentities: [String: [Int64: ObjectIdentity]] = [:]

    /// - Parameter keys: The keys by entity of the first model; other entities are compared by primary key.
    init(old: StoreSide, new: StoreSide, match: StoreMatch, keys: [String: Key], includesMissing: Bool = false) {
        self.includesMissing = includesMissing
        self.old = old
        self.new = new
        self.match = match
        self.keys = keys
    }

    /// Compares all objects.
    ///
    /// - Throws: `StoreContents.Failure` if a store cannot be read, `AmbiguousKey` if two objects have the same key.
    mutating func run() throws -> StoreDifference {
        var result = StoreDifference()
        result.removedEntities = match.removedEntities
        result.addedEntities = match.addedEntities
        for pair in match.entities {
            result.removedProperties += pair.removedProperties.map { "\(pair.old.name).\($0)" }
            result.addedProperties += pair.addedProperties.map { "\(pair.new.name).\($0)" }
            try identify(pair)
        }
        for pair in match.entities { try compare(pair, result: &result) }
        for name in match.removedEntities { try list(name, side: old, kind: .removed, result: &result) }
        for name in match.addedEntities { try list(name, side: new, kind: .added, result: &result) }
        return result
    }

    // MARK: Identities

    private mutating func identify(_ pair: StoreMatch.EntityPair) throws {
        guard case .attributes(let names)? = keys[pair.old.name] else { return }
        // A composite attribute is compared element by element.
        let parts = names.map { name in pair.attributes.filter { $0.old == name || $0.old.hasPrefix("\(name).") } }
        let attributes = parts.flatMap { $0 }
        guard !parts.contains(where: \.isEmpty) else {
            throw AmbiguousKey(
                message: "not both models have “\(pair.old.name).\(names.joined(separator: ", "))”", path: new.path)
        }
        oldIdentities[pair.old.name] = try Self.identities(
            old, entity: pair.old.name, shownEntity: pair.old.name, attributes: attributes.map(\.old))
        newIdentities[pair.new.name] = try Self.identities(
            new, entity: pair.new.name, shownEntity: pair.old.name, attributes: attributes.map(\.new))
    }

    private static func identities(
        _ side: StoreSide, entity: String, shownEntity: String, attributes: [String]
    ) throws -> [Int64: ObjectIdentity] {
        var result: [Int64: ObjectIdentity] = [:]
        var owners: [[StoreContents.Value]: Int64] = [:]
        var ambiguous: AmbiguousKey?
        let rows = try side.contents.rows(of: entity, attributes: attributes, toOne: [])
        while let row = try rows?.next() {
            let values = row.values.map(\.compared)
            let text = values.map(\.shown).joined(separator: ", ")
            if let other = owners.updateValue(row.key, forKey: values), ambiguous == nil {
                ambiguous = AmbiguousKey(
                    message: "rows \(other) and \(row.key) of “\(entity)” have the same key: \(text)", path: side.path)
            }
            // Two long strings may look the same when shortened.
            let suffix = text.count > 60 ? " #\(values.hashText)" : ""
            result[row.key] = ObjectIdentity("\(shownEntity)[\(text)\(suffix)]")
        }
        if let ambiguous { throw ambiguous }
        return result
    }

    private func oldIdentity(_ reference: StoreContents.Reference) -> ObjectIdentity {
        oldIdentities[reference.entity]?[reference.key] ?? ObjectIdentity("\(reference.entity)/\(reference.key)")
    }

    private func newIdentity(_ reference: StoreContents.Reference) -> ObjectIdentity {
        newIdentities[reference.entity]?[reference.key]
            ?? ObjectIdentity("\(match.oldNames[reference.entity] ?? reference.entity)/\(reference.key)")
    }

    // MARK: Objects

    private func compare(_ pair: StoreMatch.EntityPair, result: inout StoreDifference) throws {
        let entity = pair.old.name
        let identities = newIdentities[pair.new.name]
        let members = try members(of: pair, isByIdentity: identities != nil)
        var changes: [StoreDifference.ObjectChange] = []
        var equalCount = 0
        func compare(_ row: StoreContents.StoredRow, _ other: StoreContents.StoredRow?) throws {
            let key = oldIdentity(StoreContents.Reference(entity: entity, key: row.key)).description
            guard let other else {
                changes.append(StoreDifference.ObjectChange(kind: .removed, entity: entity, key: key))
                return
            }
            var values = differences(pair, row: row, other: other)
            values += try differences(pair, row: row, other: other, members: members)
            if values.isEmpty { return equalCount += 1 }
            changes.append(StoreDifference.ObjectChange(kind: .changed, entity: entity, key: key, values: values))
        }
        let oldRows = try rows(
            old, entity: pair.old, attributes: pair.attributes.map(\.old),
            toOnes: (pair.toOnes + pair.widened).map(\.old))
        let newRows = try rows(
            new, entity: pair.new, attributes: pair.attributes.map(\.new), toOnes: pair.toOnes.map(\.new),
            isDirect: identities != nil)
        let added =
            if let identities {
                try pairByIdentity(oldRows, entity: entity, new: newRows, identities: identities, body: compare)
            } else {
                try Self.pairByKey(oldRows, new: newRows, body: compare)
            }
        changes += added.map { key in
            let identity = newIdentity(StoreContents.Reference(entity: pair.new.name, key: key))
            return StoreDifference.ObjectChange(kind: .added, entity: entity, key: identity.description)
        }
        result.objects += changes
        result.equalCount += equalCount
        if includesMissing { result.objects += try missingOwners(pair) }
    }

    /// The members of a to-many relationship on both sides; only the new ones if it was a to-one relationship before.
    private struct RelationshipMembers {
        var name: String
        var isOrdered = false
        var old: MembersByOwner?
        var new: MembersByOwner
    }

    /// Returns the members of to-many relationships, then those of relationships that became to-many.
    ///
    /// - Parameter isByIdentity: Whether objects are found by attributes, so that owners are met in any order.
    private func members(of pair: StoreMatch.EntityPair, isByIdentity: Bool) throws -> [RelationshipMembers] {
        let scope: StoreContents.MemberScope = includesMissing ? .stored : .existing
        let toManys = try pair.toManys.map { relationship, isOrdered in
            RelationshipMembers(
                name: relationship.old, isOrdered: isOrdered,
                old: try MembersByOwner(
                    old.contents.members(of: relationship.old, pair.old.name, scope), isAscending: true),
                new: try MembersByOwner(
                    new.contents.members(of: relationship.new, pair.new.name, scope), isAscending: !isByIdentity))
        }
        let widened = try pair.widened.map { relationship in
            RelationshipMembers(
                name: relationship.old,
                new: try MembersByOwner(
                    new.contents.members(of: relationship.new, pair.new.name), isAscending: !isByIdentity))
        }
        return toManys + widened
    }

    /// Returns the differences of an object's to-many relationships.
    private func differences(
        _ pair: StoreMatch.EntityPair, row: StoreContents.StoredRow, other: StoreContents.StoredRow,
        members: [RelationshipMembers]
    ) throws -> [StoreDifference.ValueChange] {
        var values: [StoreDifference.ValueChange] = []
        // The references of the relationships that became to-many are the last ones.
        var references = row.references.dropFirst(pair.toOnes.count)
        for relationship in members {
            let old =
                if let old = relationship.old {
                    try old.members(of: row.key)
                } else {
                    references.popFirst().flatMap { $0 }.map { [$0] } ?? []
                }
            values += difference(
                relationship.name, isOrdered: relationship.isOrdered, old: old,
                new: try relationship.new.members(of: other.key))
        }
        return values
    }

    /// Returns the differences of what is stored for owners that do not exist.
    private func missingOwners(_ pair: StoreMatch.EntityPair) throws -> [StoreDifference.ObjectChange] {
        var changes: [StoreDifference.ObjectChange] = []
        for (relationship, isOrdered) in pair.toManys
        where pair.old.properties[relationship.old]?.owner == pair.old.name {
            let members = (
                old: try MembersByOwner(
                    old.contents.members(of: relationship.old, pair.old.name, .withoutOwner), isAscending: false),
                new: try MembersByOwner(
                    new.contents.members(of: relationship.new, pair.new.name, .withoutOwner), isAscending: false)
            )
            for owner in Set(members.old.owners).union(members.new.owners).sorted() {
                let values = difference(
                    relationship.old, isOrdered: isOrdered, old: try members.old.members(of: owner),
                    new: try members.new.members(of: owner))
                guard !values.isEmpty else { continue }
                changes.append(
                    StoreDifference.ObjectChange(
                        kind: .changed, entity: pair.old.name, key: "\(pair.old.name)/\(owner)", values: values))
            }
        }
        return changes
    }

    private func rows(
        _ side: StoreSide, entity: IndexedModel.IndexedEntity, attributes: [String], toOnes: [String],
        isDirect: Bool = false
    ) throws -> StoreContents.Rows? {
        guard !entity.entity.isAbstract else { return nil }
        return try side.contents.rows(of: entity.name, attributes: attributes, toOne: toOnes, isDirect: isDirect)
    }

    /// Passes each old row with the new row of its primary key. Both sides are sorted, so that one row of each is in
    /// memory.
    ///
    /// - Returns: The keys of the other new rows.
    private static func pairByKey(
        _ old: StoreContents.Rows?, new: StoreContents.Rows?,
        body: (StoreContents.StoredRow, StoreContents.StoredRow?) throws -> Void
    ) throws -> [Int64] {
        var added: [Int64] = []
        var other = try new?.next()
        while let row = try old?.next() {
            while let passed = other, passed.key < row.key {
                added.append(passed.key)
                other = try new?.next()
            }
            if let same = other, same.key == row.key {
                try body(row, same)
                other = try new?.next()
            } else {
                try body(row, nil)
            }
        }
        while let passed = other {
            added.append(passed.key)
            other = try new?.next()
        }
        return added
    }

    /// Passes each old row with the new row of the same identity.
    ///
    /// - Returns: The keys of the other new rows.
    private func pairByIdentity(
        _ old: StoreContents.Rows?, entity: String, new: StoreContents.Rows?,
        identities: [Int64: ObjectIdentity],
        body: (StoreContents.StoredRow, StoreContents.StoredRow?) throws -> Void
    ) throws -> [Int64] {
        var keys = Dictionary(identities.map { ($1, $0) }) { first, _ in first }
        while let row = try old?.next() {
            let identity = oldIdentity(StoreContents.Reference(entity: entity, key: row.key))
            try body(row, try keys.removeValue(forKey: identity).flatMap { try new?.row(at: $0) })
        }
        return keys.values.sorted()
    }

    private func differences(
        _ pair: StoreMatch.EntityPair, row: StoreContents.StoredRow, other: StoreContents.StoredRow
    ) -> [StoreDifference.ValueChange] {
        var values: [StoreDifference.ValueChange] = []
        for (index, attribute) in pair.attributes.enumerated()
        where row.values[index].compared != other.values[index].compared {
            let (first, second) = (row.values[index], other.values[index])
            values.append(
                StoreDifference.ValueChange(
                    property: attribute.old, old: first.shown(besides: second), new: second.shown(besides: first)))
        }
        for (index, relationship) in pair.toOnes.enumerated() {
            let (first, second) = (row.references[index].map(oldIdentity), other.references[index].map(newIdentity))
            guard first != second else { continue }
            values.append(
                StoreDifference.ValueChange(
                    property: relationship.old, old: first?.description ?? "nil", new: second?.description ?? "nil"))
        }
        return values
    }

    private func difference(
        _ name: String, isOrdered: Bool, old: [StoreContents.Reference], new: [StoreContents.Reference]
    ) -> [StoreDifference.ValueChange] {
        let (first, second) = (old.map(oldIdentity), new.map(newIdentity))
        if first == second { return [] }
        let (before, after) = (Set(first), Set(second))
        if !isOrdered, before == after { return [] }
        let (removed, added) = (first.filter { !after.contains($0) }, second.filter { !before.contains($0) })
        let showsOrder = removed.isEmpty && added.isEmpty
        return [
            StoreDifference.ValueChange(
                property: name, old: Self.shown(showsOrder ? first : removed),
                new: Self.shown(showsOrder ? second : added))
        ]
    }

    private static func shown(_ identities: [ObjectIdentity]) -> String {
        let list = identities.prefix(5).map(\.description).joined(separator: ", ")
        return identities.count > 5 ? "{\(list) and \(identities.count - 5) more}" : "{\(list)}"
    }

    /// Lists the objects of an entity that only one model has.
    private func list(
        _ entity: String, side: StoreSide, kind: StoreDifference.ObjectChange.Kind, result: inout StoreDifference
    ) throws {
        let rows = try side.contents.rows(of: entity, attributes: [], toOne: [])
        while let row = try rows?.next() {
            result.objects.append(
                StoreDifference.ObjectChange(kind: kind, entity: entity, key: "\(entity)/\(row.key)"))
        }
    }
}

extension [StoreContents.Value] {
    /// A hash that distinguishes values that look the same when shortened.
    fileprivate var hashText: String { String(StableHash.of("\(self)".utf8), radix: 16) }
}

/// The members of a to-many relationship, looked up by owner.
private final class MembersByOwner {
    private let members: StoreContents.Members
    /// Whether owners are asked for by ascending primary key, so that only the members of one are in memory.
    private let isAscending: Bool
    private var next: (owner: Int64, members: [StoreContents.Reference])?
    private var all: [Int64: [StoreContents.Reference]] = [:]

    init(_ members: StoreContents.Members, isAscending: Bool) throws {
        self.members = members
        self.isAscending = isAscending
        next = try members.next()
        guard !isAscending else { return }
        while let found = next {
            all[found.owner] = found.members
            next = try members.next()
        }
    }

    /// The owners, unless they are asked for in order.
    var owners: Dictionary<Int64, [StoreContents.Reference]>.Keys { all.keys }

    func members(of owner: Int64) throws -> [StoreContents.Reference] {
        guard isAscending else { return all[owner] ?? [] }
        while let found = next, found.owner < owner { next = try members.next() }
        guard let found = next, found.owner == owner else { return [] }
        return found.members
    }
}
