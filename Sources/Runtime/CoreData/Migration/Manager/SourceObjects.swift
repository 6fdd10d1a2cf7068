internal import Foundation
internal import PredicateSyntax

/// The source objects of an entity mapping, in batches, so that memory does not grow with the store.
struct SourceObjects {
    /// The number of objects that are handled at a time.
    static let batchSize = 1000
    /// The number of IDs that are fetched at a time.
    private static let pageSize = 100_000

    private let context: NSManagedObjectContext
    private let request: NSFetchRequest<any NSFetchRequestResult>?
    private let given: [NSManagedObject]

    /// Finds the source objects of a mapping.
    ///
    /// - Throws: The problem with the source expression.
    init(migration: EntityMigration, manager: NSMigrationManager, stack: MigrationStack) throws {
        context = stack.context
        guard let entity = migration.source, let name = entity.name else {
            (request, given) = (nil, [])
            return
        }
        guard let expression = migration.mapping.sourceExpression else {
            (request, given) = (try Self.request(entityName: name, predicate: nil, stack), [])
            return
        }
        if let fetch = expression as? NSFetchRequestExpression {
            let value = try manager.value(
                of: fetch.requestExpression, in: migration, property: nil, source: nil, destination: nil)
            request = (value as? NSPersistentStoreRequest).flatMap(Self.erased)
            given = []
            if request == nil {
                throw MigrationErrors.mapping(
                    migration.mapping, reason: "its source expression has no fetch request",
                    help: "Leave the source expression out to migrate all objects of the entity")
            }
        } else {
            let value = try manager.value(of: expression, in: migration, property: nil, source: nil, destination: nil)
            request = nil
            given = MigrationValue.objects(in: value)
        }
    }

    /// Finds all objects of an entity itself, without subentities.
    init(allOf entityName: String, _ stack: MigrationStack) throws {
        context = stack.context
        request = try Self.request(entityName: entityName, predicate: nil, stack)
        given = []
    }

    /// Returns the fetch request for an entity's objects, without subentities.
    ///
    /// - Parameter predicate: The condition that objects must meet; `nil` for all.
    /// - Throws: An error with the code 134110 for an unknown entity or a predicate that cannot be read.
    static func request(
        entityName: String, predicate: String?, _ stack: MigrationStack
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        guard let entity = stack.entity(named: entityName) else {
            throw MigrationErrors.error(
                .migration, reason: "the source model has no entity “\(entityName)”, which a source expression names",
                help: "Update the mapping model")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entityName)
        request.entity = entity
        // Each object is migrated once: subentities have separate mappings.
        request.includesSubentities = false
        if let predicate, predicate != "TRUEPREDICATE" {
            let problem: String?
            do throws(PredicateSyntaxError) {
                let tree = try PredicateParser.parsePredicate(predicate)
                problem = MappingKeys.problem(in: tree, of: entity)
                if problem == nil { request.predicate = PredicateTree(tree).makePredicate() }
            } catch {
                problem = "\(error)"
            }
            if let problem {
                throw MigrationErrors.error(
                    .migration,
                    reason: "the source filter “\(predicate)” of the entity “\(entityName)” is not valid: \(problem)",
                    help: "Correct the source filter of the entity mapping")
            }
        }
        return request
    }

    private static func erased(_ request: NSPersistentStoreRequest) -> NSFetchRequest<any NSFetchRequestResult>? {
        (request as? NSFetchRequest<any NSFetchRequestResult>)
            ?? (request as? NSFetchRequest<NSManagedObject>).map { NSFetchRequest($0) }
    }

    /// Returns the number of objects.
    func count() throws -> Int {
        guard let request else { return given.count }
        return try context.count(for: request)
    }

    /// Calls a function for each batch of objects.
    func forEachBatch(_ body: ([NSManagedObject]) throws -> Void) throws {
        var start = 0
        while start < given.count {
            try body(Array(given[start..<min(start + Self.batchSize, given.count)]))
            start += Self.batchSize
        }
        guard let request else { return }
        var offset = 0
        while true {
            let page = NSFetchRequest<any NSFetchRequestResult>(request)
            page.resultType = .managedObjectIDResultType
            page.fetchOffset = request.fetchOffset + offset
            page.fetchLimit = request.fetchLimit > 0 ? min(Self.pageSize, request.fetchLimit - offset) : Self.pageSize
            let ids = try context.fetch(page).compactMap { $0 as? NSManagedObjectID }
            try forEachBatch(of: ids, body)
            offset += ids.count
            guard ids.count == page.fetchLimit, request.fetchLimit == 0 || offset < request.fetchLimit else { return }
        }
    }

    private func forEachBatch(of ids: [NSManagedObjectID], _ body: ([NSManagedObject]) throws -> Void) throws {
        var start = 0
        while start < ids.count {
            let part = Array(ids[start..<min(start + Self.batchSize, ids.count)])
            // One request instead of firing a fault for each object.
            let load = NSFetchRequest<any NSFetchRequestResult>(request ?? NSFetchRequest())
            load.predicate = NSPredicate(format: "SELF IN %@", part)
            (load.fetchLimit, load.fetchOffset) = (0, 0)
            load.sortDescriptors = nil
            let loaded = try context.fetch(load)
            try withExtendedLifetime(loaded) { try body(part.map(context.object)) }
            start += Self.batchSize
        }
    }
}
