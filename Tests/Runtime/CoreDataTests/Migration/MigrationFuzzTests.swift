import CoreData
import TestSupport
import Testing

/// Stores of random models, migrated through random versions: the content follows from Apple's rules, and the tables
/// equal those of a new store.
///
/// The long form migrates 10,000 pairs of versions, each in place and using a migration manager.
@Suite struct MigrationFuzzTests {
    struct Mismatch: Error, CustomStringConvertible {
        var description: String
    }

    @Test func migratedStoresObeyTheRules() {
        Seeds.run(rounds: runsLongForms ? 3_334 : 2) { random, log in
            var model = EvolvingModel(random)
            defer { log += model.log }
            let fixture = try MigrationFixture(model.text)
            fixture.store.isSound = false
            model.makeObjects()
            try fixture.fill { try Self.insert(model, $0) }
            for _ in 0..<3 {
                if let refusal = model.refused() { try Self.expectRefusal(refusal, of: fixture) }
                model.log.append("---")
                let old = model
                model.change()
                let expected = model
                let copy = try Self.migrateCopy(of: fixture, from: old, to: model)
                try fixture.migrate(to: model.text) { context throws in
                    try Self.compare(expected, context)
                    guard try Self.orders(of: old, expected, context) == copy else {
                        throw Mismatch(description: "the manager gives other orders: \(copy)")
                    }
                }
                let problems = try StoreIntegrity.problems(of: fixture.store.url)
                guard problems.isEmpty else { throw Mismatch(description: problems.joined(separator: "\n")) }
            }
        }
    }

    /// Checks that migration to a version is rejected with the name of the element, and that the store is unchanged.
    private static func expectRefusal(_ refusal: EvolvingModel.Refusal, of fixture: MigrationFixture) throws {
        let before = try Data(contentsOf: fixture.store.url)
        let model = try MigrationFixture.model(refusal.model.text)
        let element = "\(refusal.entity).\(refusal.property ?? "")"
        guard let error = nsError({ _ = try fixture.store.open(MigrationFixture.options, model: model) }) else {
            throw Mismatch(description: "\(element) was migrated")
        }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let names = (underlying?.userInfo["entity"] as? String, underlying?.userInfo["property"] as? String)
        guard error.code == 134140, underlying?.code == 134190, names.0 == refusal.entity,
            refusal.property == nil || names.1 == refusal.property
        else { throw Mismatch(description: "\(element): \(error)") }
        guard try Data(contentsOf: fixture.store.url) == before else {
            throw Mismatch(description: "\(element): the store was changed")
        }
    }

    /// Migrates a copy of a store using a migration manager with the inferred mapping model, and compares the objects.
    ///
    /// - Returns: The orders in the copy.
    private static func migrateCopy(
        of fixture: MigrationFixture, from old: EvolvingModel, to new: EvolvingModel
    ) throws -> [String: [String]] {
        let (source, destination) = (try MigrationFixture.model(old.text), try MigrationFixture.model(new.text))
        let store = try TestStore(destination)
        store.isSound = false
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: store.url,
            destinationType: NSSQLiteStoreType)
        let context = try store.open(model: destination)
        defer { try? TestStore.close(context) }
        return try context.performAndWait { () throws in
            do {
                try compare(new, context)
            } catch {
                throw Mismatch(description: "by the manager: \(error)")
            }
            return try orders(of: old, new, context)
        }
    }

    /// Returns the objects in relationships that are ordered in both versions, by owner.
    static func orders(
        of old: EvolvingModel, _ new: EvolvingModel, _ context: NSManagedObjectContext
    ) throws -> [String: [String]] {
        let ordered = Set(old.links.filter(\.first.isOrdered).map(\.id))
        var result: [String: [String]] = [:]
        for link in new.links where link.first.isOrdered && ordered.contains(link.id) {
            guard let owner = new.lineage(link.first.entity).first else { continue }
            for object in try context.all(owner.name) {
                let key = "\(object.value(forKey: "key") ?? "").\(link.first.name)"
                result[key] = object.values("key", of: link.first.name)
            }
        }
        return result
    }

    static func insert(_ model: EvolvingModel, _ context: NSManagedObjectContext) throws {
        var objects: [String: NSManagedObject] = [:]
        for (key, object) in model.objects.sorted(by: { $0.key < $1.key }) {
            let name = model.lineage(object.entity).first?.name ?? ""
            let made = context.make(name, ["key": key])
            for attribute in model.attributes(of: object.entity) {
                made.setValue(value(object.values[attribute.id], attribute.type), forKey: attribute.name)
            }
            objects[key] = made
        }
        for link in model.links {
            for pair in (model.linked[link.id] ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                guard let owner = objects[pair[0]], let member = objects[pair[1]] else { continue }
                guard link.first.isToMany else {
                    owner.setValue(member, forKey: link.first.name)
                    continue
                }
                if link.first.isOrdered {
                    owner.mutableOrderedSetValue(forKey: link.first.name).add(member)
                } else {
                    owner.mutableSetValue(forKey: link.first.name).add(member)
                }
            }
        }
    }

    private static func value(_ text: String?, _ type: String) -> Any? {
        guard let text else { return nil }
        return type == "String" ? text : Int(text)
    }

    static func compare(_ model: EvolvingModel, _ context: NSManagedObjectContext) throws {
        var found: [String: NSManagedObject] = [:]
        for entity in model.entities where entity.parent == nil {
            for object in try context.all(entity.name) {
                guard let key = object.value(forKey: "key") as? String else { continue }
                found[key] = object
            }
        }
        guard found.keys.sorted() == model.objects.keys.sorted() else {
            throw Mismatch(description: "objects \(found.keys.sorted()) instead of \(model.objects.keys.sorted())")
        }
        for (key, object) in model.objects {
            guard let other = found[key], other.entity.name == model.lineage(object.entity).first?.name else {
                throw Mismatch(description: "\(key) is a \(found[key]?.entity.name ?? "-")")
            }
            for attribute in model.attributes(of: object.entity) {
                let value = other.value(forKey: attribute.name)
                let text = (value as? String) ?? (value as? Int).map { "\($0)" }
                guard text == object.values[attribute.id] else {
                    let expected = object.values[attribute.id] ?? "nil"
                    throw Mismatch(description: "\(key).\(attribute.name) is \(text ?? "nil"), not \(expected)")
                }
            }
        }
        for link in model.links { try compare(link, model.linked[link.id] ?? [], found) }
    }

    private static func compare(
        _ link: EvolvingModel.Link, _ expected: Set<[String]>, _ objects: [String: NSManagedObject]
    ) throws {
        func pairs(_ end: EvolvingModel.Link.End, isReversed: Bool) -> Set<[String]> {
            var result: Set<[String]> = []
            for (key, object) in objects where object.entity.relationshipsByName[end.name] != nil {
                let value = object.value(forKey: end.name)
                let members =
                    (value as? NSManagedObject).map { [$0] } ?? (value as? Set<NSManagedObject>).map { Array($0) }
                    ?? (value as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject } ?? []
                for member in members {
                    guard let other = member.value(forKey: "key") as? String else { continue }
                    result.insert(isReversed ? [other, key] : [key, other])
                }
            }
            return result
        }
        let forward = pairs(link.first, isReversed: false)
        guard forward == expected else {
            throw Mismatch(description: "\(link.first.name) has \(forward), not \(expected)")
        }
        guard link.hasInverse else { return }
        let back = pairs(link.second, isReversed: true)
        guard back == expected else { throw Mismatch(description: "\(link.second.name) has \(back), not \(expected)") }
    }
}
