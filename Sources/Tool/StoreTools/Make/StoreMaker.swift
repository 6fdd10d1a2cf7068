internal import CoreData
internal import Foundation
internal import ModelMigration
internal import ModelSchema

/// Writes the rows of a plan to a new SQLite store.
struct StoreMaker {
    private let plan: StorePlan
    private let model: NSManagedObjectModel
    private let seed: UInt64

    /// - Parameter seed: The seed that determines all values, links and identifiers.
    init(_ plan: StorePlan, model: NSManagedObjectModel, seed: UInt64) {
        self.plan = plan
        self.model = model
        self.seed = seed
    }

    /// The reason why a store was not written.
    enum Failure: Error {
        /// The model's rules cannot be satisfied.
        case unsatisfiable(Unsatisfiable)
        /// The store rejects the model or cannot be written.
        case store(String)
    }

    /// Writes the store. There must be no file at the path.
    ///
    /// - Returns: The number of rows of each entity, in the order of their names.
    func write(to path: String) throws(Failure) -> [(entity: String, rows: Int)] {
        registerTransformers()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let reproduction = reproduction()
        do {
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
                options: [
                    StoreReproduction.option: reproduction,
                    // Only the finished file matters, so there is no need to wait for the disk.
                    NSSQLitePragmasOption: ["journal_mode": "MEMORY", "synchronous": "OFF", "cache_size": "-65536"],
                ])
            try reproduction.run { try coordinator.insertRows(into: store, fill) }
            try coordinator.remove(store)
            try Self.finish(path)
            return plan.entities.map { ($0, plan.counts[$0] ?? 0) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw self.failure(error)
        }
    }

    // MARK: Rows

    /// The rows of one entity.
    private struct Target {
        var entity: IndexedModel.IndexedEntity
        var table: RowInsertion.Table
        var values: RowValues
        /// The positions of the stored attributes among those that have values.
        var attributes: [Int]
        /// The to-one relationships, whose destinations follow the attributes.
        var relationships: [String]
        var ids: [NSManagedObjectID]
    }

    /// Inserts all rows. Their IDs are reserved first, since a row may refer to one that is inserted later.
    private func fill(_ rows: RowInsertion) throws {
        do {
            var targets: [Target] = []
            for name in plan.entities {
                guard let target = try target(name, rows) else { continue }
                targets.append(target)
            }
            let ids = Dictionary(targets.map { ($0.entity.name, $0.ids) }, uniquingKeysWith: { first, _ in first })
            let links = try RowLinks(plan, ids: ids, seed: seed)
            var taken: [String: Set<[AnyHashable?]>] = [:]
            for index in targets.indices { try insert(&targets[index], links: links, taken: &taken) }
            for list in links.members { try rows.add(list.members, to: list.relationship, of: list.owner) }
        } catch let error as Unsatisfiable {
            throw Failure.unsatisfiable(error)
        }
    }

    private func target(_ name: String, _ rows: RowInsertion) throws -> Target? {
        guard let entity = plan.model.entities[name], let description = model.entitiesByName[name] else { return nil }
        let values = try RowValues(entity, plan.model, seed: seed)
        let attributes = values.names.indices.filter {
            description.attributesByName[values.names[$0]]?.isTransient == false
        }
        let relationships = description.relationshipsByName.values.filter { !$0.isToMany && !$0.isTransient }
            .map(\.name).sorted()
        let table = try rows.table(name, properties: attributes.map { values.names[$0] } + relationships)
        return Target(
            entity: entity, table: table, values: values, attributes: attributes, relationships: relationships,
            ids: try table.reserve(plan.counts[name] ?? 0))
    }

    private func insert(
        _ target: inout Target, links: RowLinks, taken: inout [String: Set<[AnyHashable?]>]
    ) throws {
        let destinations = target.relationships.map { links.destinations(of: $0, in: target.entity.name) }
        for (index, id) in target.ids.enumerated() {
            let values = try target.values.row(index, taken: &taken)
            var row: [Any?] = target.attributes.map { values[$0] }
            for column in destinations { row.append(column?[index]) }
            do {
                try target.table.insertValid(row, as: id)
            } catch {
                throw failure(error, target.entity)
            }
        }
    }

    // MARK: The same bytes each time

    private func reproduction() -> StoreReproduction {
        var identifiers = SeededNumbers(seed: seed, purpose: "store")
        let names = FileNames(seed: seed)
        return StoreReproduction(
            identifier: UUID(from: &identifiers), date: 757_382_400 + Double(seed % 86_400)
        ) { names.next() }
    }

    /// Generates the names of files with large values, in the order in which they are written.
    private final class FileNames: @unchecked Sendable {
        private let lock = NSLock()
        private var numbers: SeededNumbers

        init(seed: UInt64) {
            numbers = SeededNumbers(seed: seed, purpose: "files")
        }

        func next() -> UUID { lock.withLock { UUID(from: &numbers) } }
    }

    /// Sets the journal mode that Core Data's stores have.
    private static func finish(_ path: String) throws {
        try StoreFinishing.useLog(path)
    }

    // MARK: Values that need the app's code

    /// Registers substitutes for the app's value transformers, and for those that Foundation on Linux lacks.
    private func registerTransformers() {
        for entity in model.entities {
            for attribute in entity.attributesByName.values {
                guard let name = attribute.valueTransformerName, !name.isEmpty,
                    ValueTransformer(forName: NSValueTransformerName(name)) == nil
                else { continue }
                ValueTransformer.setValueTransformer(
                    NSSecureUnarchiveFromDataTransformer(), forName: NSValueTransformerName(name))
            }
        }
    }

    // MARK: Failures

    private func failure(_ error: any Error) -> Failure { .store((error as NSError).localizedDescription) }

    /// Returns the reason why a row was not inserted: its values are invalid, or the store cannot be written.
    private func failure(_ error: any Error, _ entity: IndexedModel.IndexedEntity) -> any Error {
        let errors = ((error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error as NSError]
        for error in errors {
            guard let key = error.userInfo[NSValidationKeyErrorKey] as? String else { continue }
            return Failure.unsatisfiable(
                Unsatisfiable(
                    "no object of “\(entity.name)” can be made legal: \(error.localizedDescription)",
                    at: entity.properties[key]?.property.origin ?? entity.entity.origin,
                    why: "The value that was made does not meet the model's rules, or the rules contradict each other.")
            )
        }
        return error
    }
}
