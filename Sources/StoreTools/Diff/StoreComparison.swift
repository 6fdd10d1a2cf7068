internal import CoreData
internal import ModelMigration
internal import ModelSchema

/// Compares the objects of two stores.
struct StoreComparison {
    /// The way to find an object of one store in the other.
    enum Key: Equatable {
        /// By the primary key.
        case primaryKey
        /// By the values of attributes, named as in the first model.
        case attributes([String])
    }

    /// An attribute that does not identify objects.
    struct AmbiguousKey: Error {
        /// The problem, in one sentence.
        var message: String
        /// The path of the store.
        var path: String
    }

    private let old: StoreSide
    private let new: StoreSide
    private let match: StoreMatch
    private let keys: [String: Key]
    private var oldIdentities: [StoreContents.Reference: String] = [:]
    private var newIdentities: [StoreContents.Reference: String] = [:]

    /// - Parameter keys: The keys by entity of the first model; other entities are compared by primary key.
    init(_ old: StoreSide, _ new: StoreSide, _ match: StoreMatch, keys: [String: Key]) {
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
        for pair in match.entities { try compare(pair, &result) }
        for name in match.removedEntities { try list(name, old, .removed, &result) }
        for name in match.addedEntities { try list(name, new, .added, &result) }
        return result
    }

    // MARK: Identities

    private mutating func identify(_ pair: StoreMatch.EntityPair) throws {
        guard case .attributes(let names)? = keys[pair.old.name] else { return }
        let attributes = names.compactMap { name in pair.attributes.first { $0.old == name } }
        guard attributes.count == names.count else {
            throw AmbiguousKey(
                message: "not both models have “\(pair.old.name).\(names.joined(separator: ", "))”", path: new.path)
        }
        oldIdentities.merge(
            try Self.identities(old, pair.old.name, pair.old.name, attributes.map(\.old))
        ) { first, _ in first }
        newIdentities.merge(
            try Self.identities(new, pair.new.name, pair.old.name, attributes.map(\.new))
        ) { first, _ in first }
    }

    private static func identities(
        _ side: StoreSide, _ entity: String, _ shownEntity: String, _ attributes: [String]
    ) throws -> [StoreContents.Reference: String] {
        var result: [StoreContents.Reference: String] = [:]
        var owners: [[StoreContents.Value]: Int64] = [:]
        var ambiguous: AmbiguousKey?
        try side.contents.forEachRow(of: entity, attributes: attributes, toOne: []) { row in
            let values = row.values.map(\.compared)
            let text = values.map(\.shown).joined(separator: ", ")
            if let other = owners.updateValue(row.key, forKey: values), ambiguous == nil {
                ambiguous = AmbiguousKey(
                    message: "rows \(other) and \(row.key) of “\(entity)” have the same key: \(text)", path: side.path)
            }
            // Two long texts may look the same when shortened.
            let suffix = text.count > 60 ? " #\(values.hashText)" : ""
            result[StoreContents.Reference(entity: entity, key: row.key)] = "\(shownEntity)[\(text)\(suffix)]"
        }
        if let ambiguous { throw ambiguous }
        return result
    }

    private func oldIdentity(_ reference: StoreContents.Reference) -> String {
        oldIdentities[reference] ?? "\(reference.entity)/\(reference.key)"
    }

    private func newIdentity(_ reference: StoreContents.Reference) -> String {
        newIdentities[reference] ?? "\(match.oldNames[reference.entity] ?? reference.entity)/\(reference.key)"
    }

    // MARK: Objects

    private func compare(_ pair: StoreMatch.EntityPair, _ result: inout StoreDifference) throws {
        let entity = pair.old.name
        var others: [String: StoreContents.StoredRow] = [:]
        var order: [String] = []
        if !pair.new.entity.isAbstract {
            try new.contents.forEachRow(
                of: pair.new.name, attributes: pair.attributes.map(\.new), toOne: pair.toOnes.map(\.new)
            ) { row in
                let identity = newIdentity(StoreContents.Reference(entity: pair.new.name, key: row.key))
                order.append(identity)
                others[identity] = row
            }
        }
        let members = try pair.toManys.map { relationship, isOrdered in
            (
                name: relationship.old, isOrdered: isOrdered,
                old: try old.contents.members(of: relationship.old, pair.old.name),
                new: try new.contents.members(of: relationship.new, pair.new.name)
            )
        }
        var changes: [StoreDifference.ObjectChange] = []
        var equalCount = 0
        if !pair.old.entity.isAbstract {
            try old.contents.forEachRow(
                of: pair.old.name, attributes: pair.attributes.map(\.old), toOne: pair.toOnes.map(\.old)
            ) { row in
                let identity = oldIdentity(StoreContents.Reference(entity: pair.old.name, key: row.key))
                guard let other = others.removeValue(forKey: identity) else {
                    changes.append(StoreDifference.ObjectChange(kind: .removed, entity: entity, key: identity))
                    return
                }
                var values = differences(pair, row, other)
                for relationship in members {
                    values += difference(
                        relationship.name, relationship.isOrdered, relationship.old[row.key] ?? [],
                        relationship.new[other.key] ?? [])
                }
                if values.isEmpty {
                    equalCount += 1
                } else {
                    changes.append(
                        StoreDifference.ObjectChange(kind: .changed, entity: entity, key: identity, values: values))
                }
            }
        }
        changes += order.filter { others[$0] != nil }.map {
            StoreDifference.ObjectChange(kind: .added, entity: entity, key: $0)
        }
        result.objects += changes
        result.equalCount += equalCount
    }

    private func differences(
        _ pair: StoreMatch.EntityPair, _ row: StoreContents.StoredRow, _ other: StoreContents.StoredRow
    ) -> [StoreDifference.ValueChange] {
        var values: [StoreDifference.ValueChange] = []
        for (index, attribute) in pair.attributes.enumerated()
        where row.values[index].compared != other.values[index].compared {
            values.append(
                StoreDifference.ValueChange(
                    property: attribute.old, old: row.values[index].shown, new: other.values[index].shown))
        }
        for (index, relationship) in pair.toOnes.enumerated() {
            let (first, second) = (row.references[index].map(oldIdentity), other.references[index].map(newIdentity))
            guard first != second else { continue }
            values.append(
                StoreDifference.ValueChange(property: relationship.old, old: first ?? "nil", new: second ?? "nil"))
        }
        return values
    }

    private func difference(
        _ name: String, _ isOrdered: Bool, _ old: [StoreContents.Reference], _ new: [StoreContents.Reference]
    ) -> [StoreDifference.ValueChange] {
        let (first, second) = (old.map(oldIdentity), new.map(newIdentity))
        if isOrdered ? first == second : Set(first) == Set(second) { return [] }
        let (removed, added) = (first.filter { !Set(second).contains($0) }, second.filter { !Set(first).contains($0) })
        let showsOrder = removed.isEmpty && added.isEmpty
        return [
            StoreDifference.ValueChange(
                property: name, old: Self.shown(showsOrder ? first : removed),
                new: Self.shown(showsOrder ? second : added))
        ]
    }

    private static func shown(_ identities: [String]) -> String {
        let list = identities.prefix(5).joined(separator: ", ")
        return identities.count > 5 ? "{\(list) and \(identities.count - 5) more}" : "{\(list)}"
    }

    /// Lists the objects of an entity that only one model has.
    private func list(
        _ entity: String, _ side: StoreSide, _ kind: StoreDifference.ObjectChange.Kind, _ result: inout StoreDifference
    ) throws {
        var changes: [StoreDifference.ObjectChange] = []
        try side.contents.forEachRow(of: entity, attributes: [], toOne: []) { row in
            changes.append(StoreDifference.ObjectChange(kind: kind, entity: entity, key: "\(entity)/\(row.key)"))
        }
        result.objects += changes
    }
}

extension [StoreContents.Value] {
    /// A hash that distinguishes values that look the same when shortened.
    fileprivate var hashText: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(self)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
