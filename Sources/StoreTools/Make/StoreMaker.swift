internal import CoreData
internal import Foundation
internal import ModelMigration
internal import ModelSchema

/// Writes the rows of a plan into a new SQLite store.
struct StoreMaker {
    private let plan: StorePlan
    private let model: NSManagedObjectModel
    private let seed: UInt64
    private let freesObjects: Bool

    /// - Parameters:
    ///   - seed: What all values, links and identifiers follow from.
    ///   - freesObjects: Whether the memory of the objects is freed, which takes a tenth of the time.
    init(_ plan: StorePlan, model: NSManagedObjectModel, seed: UInt64, freesObjects: Bool) {
        self.plan = plan
        self.model = model
        self.seed = seed
        self.freesObjects = freesObjects
    }

    /// Why a store was not written.
    enum Failure: Error {
        /// The model's rules cannot be met.
        case unsatisfiable(Unsatisfiable)
        /// The store rejects the model or cannot be written.
        case store(String)
    }

    /// Writes the store; nothing must be at the path.
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
                    // Nothing but the finished file counts, so that the disk need not be waited for.
                    NSSQLitePragmasOption: ["journal_mode": "MEMORY", "synchronous": "OFF", "cache_size": "-65536"],
                ])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let counts = try context.performAndWait { try fill(context, reproduction) }
            try coordinator.remove(store)
            try Self.finish(path)
            return counts
        } catch let failure as Failure {
            throw failure
        } catch {
            throw self.failure(error)
        }
    }

    private func fill(
        _ context: NSManagedObjectContext, _ reproduction: StoreReproduction
    ) throws -> [(entity: String, rows: Int)] {
        var objects: [String: [NSManagedObject]] = [:]
        var taken: [String: Set<[AnyHashable?]>] = [:]
        for name in plan.entities {
            do throws(Unsatisfiable) {
                objects[name] = try insert(name, context, &taken)
            } catch {
                throw Failure.unsatisfiable(error)
            }
        }
        for link in plan.links { set(link, objects) }
        if !freesObjects { _ = Unmanaged.passRetained(Kept(context: context, objects: objects)) }
        try reproduction.run { try context.save() }
        return plan.entities.map { ($0, objects[$0]?.count ?? 0) }
    }

    /// What stays in memory until the process ends.
    private final class Kept {
        private let context: NSManagedObjectContext
        private let objects: [String: [NSManagedObject]]

        init(context: NSManagedObjectContext, objects: [String: [NSManagedObject]]) {
            (self.context, self.objects) = (context, objects)
        }
    }

    // MARK: Objects

    private func insert(
        _ name: String, _ context: NSManagedObjectContext, _ taken: inout [String: Set<[AnyHashable?]>]
    ) throws(Unsatisfiable) -> [NSManagedObject] {
        guard let entity = plan.model.entities[name], let description = model.entitiesByName[name] else { return [] }
        var values = try RowValues(entity, plan.model, seed: seed)
        var objects: [NSManagedObject] = []
        let count = plan.counts[name] ?? 0
        objects.reserveCapacity(count)
        for index in 0..<count {
            let object = NSManagedObject(entity: description, insertInto: context)
            for (name, value) in zip(values.names, try values.row(index, taken: &taken)) {
                object.setValue(value, forKey: name)
            }
            for name in values.clearedNames { object.setValue(nil, forKey: name) }
            objects.append(object)
        }
        return objects
    }

    private func set(_ link: RelationshipLink, _ objects: [String: [NSManagedObject]]) {
        let first = plan.members(of: link.first.entity).flatMap { objects[$0] ?? [] }
        let second = plan.members(of: link.second.entity).flatMap { objects[$0] ?? [] }
        var numbers = SeededNumbers(seed: seed, purpose: link.description)
        let pairs = LinkPairs(link, first: first.count, second: second.count, &numbers).pairs
        if let name = link.first.relationship?.name, !link.first.isToMany, !link.second.isOrdered {
            for pair in pairs { first[pair.first].setValue(second[pair.second], forKey: name) }
        } else if let name = link.second.relationship?.name, link.second.isOrdered {
            Self.setMembers(pairs.map { ($0.second, $0.first) }, second, first, name, link.second)
        } else if let name = link.first.relationship?.name {
            Self.setMembers(pairs.map { ($0.first, $0.second) }, first, second, name, link.first, link.isReflexive)
        }
    }

    private static func setMembers(
        _ pairs: [(owner: Int, member: Int)], _ owners: [NSManagedObject], _ members: [NSManagedObject],
        _ name: String, _ end: RelationshipLink.End, _ isReflexive: Bool = false
    ) {
        guard end.isToMany else {
            for pair in pairs { owners[pair.owner].setValue(members[pair.member], forKey: name) }
            return
        }
        var lists: [Int: [Int]] = [:]
        for pair in pairs {
            lists[pair.owner, default: []].append(pair.member)
            // The other half of the pair: a value that is set replaces what its inverse has set before.
            if isReflexive, pair.owner != pair.member { lists[pair.member, default: []].append(pair.owner) }
        }
        for (owner, list) in lists.sorted(by: { $0.key < $1.key }) {
            let list = list.map { members[$0] }
            let value: Any = end.isOrdered ? NSOrderedSet(array: list) : NSSet(array: list)
            owners[owner].setValue(value, forKey: name)
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

    /// Names of files with large values, in the order in which they are written.
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

    /// Makes up the value transformers that the app would register, and those that Foundation on Linux lacks.
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

    private func failure(_ error: any Error) -> Failure {
        let error = error as NSError
        let errors = (error.userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error]
        for error in errors {
            guard let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject,
                let entity = object.entity.name.flatMap({ plan.model.entities[$0] })
            else { continue }
            let key = error.userInfo[NSValidationKeyErrorKey] as? String
            let property = key.flatMap { entity.properties[$0]?.property }
            return .unsatisfiable(
                Unsatisfiable(
                    "no object of “\(entity.name)” can be made legal: \(error.localizedDescription)",
                    at: property?.origin ?? entity.entity.origin,
                    why: "The value that was made does not meet the model's rules, or the rules contradict each other.")
            )
        }
        return .store(error.localizedDescription)
    }
}
