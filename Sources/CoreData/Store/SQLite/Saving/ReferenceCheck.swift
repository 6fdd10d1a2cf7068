/// Finds the references that a save would leave leading nowhere: SQLite is not asked to enforce foreign keys, as Apple's files
/// declare none.
struct ReferenceCheck {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let changes: [ObjectChange]
    /// The objects that the save deletes, by key, by the number of their root entity.
    private var deleted: [Int: [Int64: NSManagedObjectID]] = [:]
    /// The objects that the save inserts; made when one is referred to.
    private var inserted: Set<Place>?
    /// Rows that were looked for already.
    private var known: [Place: Bool] = [:]

    private struct Place: Hashable {
        var root: Int
        var key: Int64
    }

    /// Keys are looked for in groups of this size: each is part of the statement's text.
    private static let groupSize = 500

    init(_ store: SQLiteStore, _ connection: SQLiteConnection, _ changes: [ObjectChange]) {
        self.store = store
        self.connection = connection
        self.changes = changes
        for change in changes where change.kind == .delete {
            if let place = place(of: change.id) { deleted[place.root, default: [:]][place.key] = change.id }
        }
    }

    private func place(of id: NSManagedObjectID) -> Place? {
        guard case .number(let key) = id.reference, let entity = store.entity(of: id) else { return nil }
        return Place(root: entity.mapping.rootNumber, key: key)
    }

    /// Checks all references. Called within the transaction, before anything is written.
    ///
    /// - Throws: `ReferenceConflicts` if some of them would lead nowhere.
    mutating func run() throws {
        var conflicts = ReferenceConflicts()
        // Often many objects have the same reference.
        var last: NSManagedObjectID?
        for change in changes where change.kind != .delete {
            guard let entity = store.entity(change.layout) else { continue }
            try change.forEachWrittenReference(
                holdsMembers: { Self.holdsMembers(entity.mapping.places[$0]) }
            ) { slot, target in
                if target === last { return }
                last = target
                if try !exists(target) {
                    last = nil
                    conflicts.dangling.append(.init(source: change.id, slot: slot, target: target))
                }
            }
        }
        conflicts.left = try referencesToDeleted()
        conflicts.unpaired = try ReferenceConflicts.unpaired(in: changes) { try store.knownRow(of: $0, $0.layout) }
        if !conflicts.isEmpty { throw conflicts }
    }

    /// Whether a to-many relationship is written with the object that has it.
    private static func holdsMembers(_ place: SlotPlace) -> Bool {
        switch place {
        case .join: true
        case .inverse(let columns): columns.isVirtual
        case .nowhere, .attribute, .composite, .toOne: false
        }
    }

    /// Whether an object is in the store when the save is over.
    private mutating func exists(_ id: NSManagedObjectID) throws -> Bool {
        guard let place = place(of: id), let entity = store.entity(of: id) else { return true }
        if deleted[place.root]?[place.key] != nil { return false }
        // What others have written was noticed when the transaction began.
        if entity.cache[place.key] != nil { return true }
        if let known = known[place] { return known }
        let isThere = try insertedPlaces().contains(place) || isStored(place.key, entity)
        known[place] = isThere
        return isThere
    }

    private mutating func insertedPlaces() -> Set<Place> {
        if let inserted { return inserted }
        let made = Set(changes.lazy.filter { $0.kind == .insert }.compactMap { [self] in place(of: $0.id) })
        inserted = made
        return made
    }

    private func isStored(_ key: Int64, _ entity: StoredEntity) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM \(entity.table) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step()
    }

    // MARK: Deleted objects

    /// The column of a to-one relationship.
    private struct Column: Hashable {
        var table: String
        var name: String
    }

    /// The references in the file to objects that the save deletes, but for those that the save replaces.
    private func referencesToDeleted() throws -> [ReferenceConflicts.Reference] {
        guard !deleted.isEmpty, let schema = store.schema else { return [] }
        var replaced: [Place: [Int]] = [:]
        for change in changes where change.kind == .update {
            if let place = place(of: change.id) { replaced[place] = change.changedSlots }
        }
        var result: [ReferenceConflicts.Reference] = []
        var done: Set<Column> = []
        for mapping in schema.entities {
            guard let source = store.entity(number: mapping.number) else { continue }
            for place in mapping.places {
                guard case .toOne(let columns) = place,
                    let root = store.entity(number: columns.destination)?.mapping.rootNumber,
                    let targets = deleted[root],
                    done.insert(Column(table: mapping.table, name: columns.key)).inserted
                else { continue }
                result += try references(columns, in: source, to: targets).filter { reference in
                    guard let place = self.place(of: reference.source) else { return false }
                    return replaced[place]?.contains(reference.slot) != true
                }
            }
        }
        return result
    }

    /// The references of a column to some keys, but for those of objects that the save deletes too.
    private func references(
        _ columns: ToOneColumns, in source: StoredEntity, to targets: [Int64: NSManagedObjectID]
    ) throws -> [ReferenceConflicts.Reference] {
        var result: [ReferenceConflicts.Reference] = []
        let column = SQLName.quoted(columns.key)
        let keys = targets.keys.sorted()
        let goingToo = deleted[source.mapping.rootNumber] ?? [:]
        for start in stride(from: 0, to: keys.count, by: Self.groupSize) {
            let group = keys[start..<min(start + Self.groupSize, keys.count)].map { "\($0)" }.joined(separator: ",")
            let statement = try SQLiteStatement(
                connection, "SELECT Z_PK, Z_ENT, \(column) FROM \(source.table) WHERE \(column) IN (\(group))")
            while try statement.step() {
                let key = statement.integer(0)
                guard goingToo[key] == nil, let target = targets[statement.integer(2)],
                    let entity = store.entity(number: Int(truncatingIfNeeded: statement.integer(1))),
                    let slot = slot(columns.key, of: entity),
                    !ReferenceConflicts.isKept(entity.layout.slots[slot], target)
                else { continue }
                result.append(.init(source: store.id(key, entity), slot: slot, target: target))
            }
        }
        return result
    }

    /// The slot of the relationship that a column holds.
    private func slot(_ column: String, of entity: StoredEntity) -> Int? {
        entity.mapping.places.firstIndex { place in
            if case .toOne(let columns) = place { columns.key == column } else { false }
        }
    }
}
