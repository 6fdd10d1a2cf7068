internal import CoreData
internal import Foundation
internal import ModelcDriver
internal import StoreDoctor

/// An open store, with the lists that are shown and the page's view of the model.
final class StoreSession {
    let url: URL
    let kind: StoreKind
    let model: StoreModel
    private(set) var stack: StoreStack
    private var lists: [ListQuery: ObjectList] = [:]
    private var listOrder: [ListQuery] = []
    /// Returns the unsaved objects of an entity, in the order of lists.
    var unsavedObjects: (NSEntityDescription) -> [NSManagedObject] = { _ in [] }
    private var stamp = ""
    /// The device and the file number, which differ if another file has taken the store's place.
    private var identity: FileIdentity?
    private let files: any FileSystem
    /// The time, in seconds, that each attempt to read or write waits for another program.
    private let timeout: Double
    /// Whether another file has taken the store's place, and there are unsaved edits of the old one.
    private(set) var isReplaced = false
    /// The number of changes of the file so far.
    private(set) var diskRevision = 0
    /// Whether another program has replaced the file of a store that is read and written as a whole, and there are
    /// unsaved edits.
    private(set) var isOutdated = false
    /// The edited objects that keep what was read before another program wrote, until their edits are undone.
    private var staleObjects: Set<NSManagedObject> = []
    /// Why the store's current state cannot be read; what was read before is shown.
    private(set) var refreshProblem: StoreProblem?

    /// How to find out whether the store is locked; `nil` if that has not been needed yet.
    var probe: LockProbe?

    /// The maximum number of lists that are kept.
    private static let listLimit = 8

    /// Opens a store for reading.
    ///
    /// - Throws: `StoreProblem` if the file cannot be shown.
    convenience init(path: String, modelPath: String?, files: any FileSystem) throws(StoreProblem) {
        let kind = try StoreKind(path, files)
        let model = try StoreModel(store: path, kind, modelPath: modelPath, files)
        try self.init(url: URL(fileURLWithPath: files.systemPath(path)), kind: kind, model: model, files: files)
    }

    /// Opens a store with its model for reading.
    ///
    /// - Parameter timeout: The time, in seconds, that each attempt to read or write waits for another program.
    /// - Throws: `StoreProblem` if the file cannot be shown.
    init(
        url: URL, kind: StoreKind, model: StoreModel, files: any FileSystem = POSIXFileSystem(),
        timeout: Double = StoreStack.timeout
    ) throws(StoreProblem) {
        self.url = url
        self.files = files
        self.kind = kind
        self.model = model
        self.timeout = timeout
        stack = try StoreStack(url: url, kind, model, isWritable: false, timeout: timeout)
        stamp = fileStamp()
        identity = files.identity(of: url.path)
    }

    /// Opens the store again, for reading it on another thread.
    ///
    /// Other requests do not wait with it, and it makes only one attempt, so it waits longer.
    func copy() throws(StoreProblem) -> StoreSession {
        try StoreSession(url: url, kind: kind, model: model, files: files, timeout: 2)
    }

    /// Opens the store for writing.
    func makeWritable() throws(StoreProblem) {
        guard !stack.isWritable else { return }
        stack = try StoreStack(url: url, kind, model, isWritable: true, timeout: timeout)
        identity = files.identity(of: url.path)
        invalidateLists()
    }

    // MARK: Changes on disk

    /// Checks whether another program has changed the store, and discards cached state if so. Call this outside the
    /// context's queue.
    func refresh() {
        let now = fileStamp()
        guard now != stamp else { return }
        let hasChanges = stack.context.hasChanges
        // XML and binary stores replace their file with each save, so only SQLite files are compared. A file that is
        // briefly missing does not count as replaced.
        if kind == .sqlite, stack.isWritable, let current = files.identity(of: url.path) {
            isReplaced = current != identity
            if isReplaced, !hasChanges {
                guard reopen() else { return }
            }
        }
        // A connection without a log does not see what other programs write, and stores without SQL are read as a
        // whole.
        if !stack.isWritable || kind != .sqlite && !hasChanges {
            // Repeated with the next request: the file may be locked for a while.
            guard reopen() else { return }
        } else if kind != .sqlite {
            isOutdated = true
        } else if isReplaced {
            // What was read before is shown until the edits are discarded.
        } else if hasChanges {
            // Edited objects keep what they were read as, so that a save notices the conflict.
            staleObjects = stack.context.registeredObjects.filter { !$0.isInserted }
            refreshUneditedObjects()
        } else {
            staleObjects = []
            stack.context.reset()
        }
        stamp = now
        diskRevision += 1
        invalidateLists()
    }

    /// Discards what was read of objects without edits before another program wrote.
    func refreshUneditedObjects() {
        let context = stack.context
        let objects = staleObjects.filter { !$0.hasChanges }
        staleObjects.subtract(objects)
        // Not those whose deletion was saved.
        let stored = objects.filter { $0.managedObjectContext != nil }
        for object in stored { context.refresh(object, mergeChanges: false) }
        guard let first = stored.first else { return }
        // Drops the coordinator's rows, which are as old.
        context.stalenessInterval = 0
        _ = try? context.existingObject(with: first.objectID)
        context.stalenessInterval = -1
    }

    /// Reopens the store. Its unsaved edits are lost.
    ///
    /// - Returns: Whether it could be read; `refreshProblem` is the reason why not.
    @discardableResult
    func reopen() -> Bool {
        do throws(StoreProblem) {
            stack = try StoreStack(url: url, kind, model, isWritable: stack.isWritable, timeout: timeout)
        } catch {
            refreshProblem = error
            return false
        }
        refreshProblem = nil
        staleObjects = []
        isOutdated = false
        isReplaced = false
        identity = files.identity(of: url.path)
        probe = nil
        invalidateLists()
        return true
    }

    /// Records the state of the file after a save by this program.
    func recordOwnSave() {
        invalidateLists()
        // A file that took the position of a database since the save is found by the next refresh; other stores replace
        // theirs themselves.
        guard kind != .sqlite || files.identity(of: url.path) == identity else { return }
        stamp = fileStamp()
        identity = files.identity(of: url.path)
        isOutdated = false
    }

    /// A text that changes whenever the store is written or replaced.
    func fileStamp() -> String {
        ["", "-wal"].map { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            return "\(attributes?[.size] ?? 0) \(date) \(attributes?[.systemFileNumber] ?? 0)"
        }.joined(separator: " ")
    }

    private func invalidateLists() {
        lists = [:]
        listOrder = []
    }

    /// Forgets the lists of destinations, which contain unsaved edits.
    func forgetMemberLists() {
        lists = lists.filter { $0.key.scope == nil }
        listOrder.removeAll { $0.scope != nil }
    }

    // MARK: Lists

    func entity(_ name: String) throws(StoreProblem) -> NSEntityDescription {
        guard let entity = model.model.entitiesByName[name] else {
            throw StoreProblem("the model has no entity “\(name)”")
        }
        return entity
    }

    /// Returns the list of a query.
    ///
    /// - Throws: `StoreProblem` if the predicate or the sort key is invalid.
    func list(_ query: ListQuery) throws -> ObjectList {
        if let list = lists[query] { return list }
        let entity = try entity(query.entity)
        var predicates: [NSPredicate] = []
        var members: [NSManagedObjectID]?
        if let scope = query.scope { (predicates, members) = try scoped(scope, entity) }
        if let uri = query.object { members = [try stack.object(uri).objectID] }
        let predicate: NSPredicate?
        do throws(PredicateCheck.Failure) {
            predicate = try PredicateCheck.predicate(query.predicate ?? "", entity)
        } catch {
            throw StoreProblem(error.message, help: error.help, range: error.range)
        }
        let keyed = query.key.map { NSPredicate(format: "SELF IN %@", stack.ids(ofKey: $0, entity)) }
        let alternatives = [predicate, keyed, query.text.map { Self.search($0, entity) }].compactMap { $0 }
        if alternatives.count > 1 {
            predicates.append(NSCompoundPredicate(orPredicateWithSubpredicates: alternatives))
        } else {
            predicates += alternatives
        }
        let sort = try (query.sort ?? []).map { part in
            ListQuery.SortKey(
                try sortPath(part.key, entity), isDescending: part.isDescending == true)
        }
        // Queries do not return unsaved objects.
        let filters = predicates
        let requested = members.map(Set.init)
        let unsaved = { [weak self] () -> [NSManagedObject] in
            let objects = self?.unsavedObjects(entity) ?? []
            return objects.filter { object in
                requested?.contains(object.objectID) != false && filters.allSatisfy { $0.evaluate(with: object) }
            }
        }
        let isExplicit = members != nil && predicates.isEmpty && sort.isEmpty
        if let ids = members, !isExplicit {
            predicates.append(NSPredicate(format: "SELF IN %@", ids.filter { !$0.isTemporaryID }))
            members = nil
        }
        let list = ObjectList(
            stack, entity,
            predicate: predicates.isEmpty
                ? nil
                : predicates.count == 1
                    ? predicates[0] : NSCompoundPredicate(andPredicateWithSubpredicates: predicates),
            sort: sort, members: members, unsaved: isExplicit ? { [] } : unsaved)
        if let refused = try explanationProblem(list) { throw refused }
        lists[query] = list
        listOrder.append(query)
        if listOrder.count > Self.listLimit { lists[listOrder.removeFirst()] = nil }
        return list
    }

    /// Returns a predicate for the objects with a text.
    private static func search(_ text: String, _ entity: NSEntityDescription) -> NSPredicate {
        NSCompoundPredicate(
            orPredicateWithSubpredicates: RowBuilder.properties(of: entity).compactMap { property in
                guard (property as? NSAttributeDescription)?.attributeType == .stringAttributeType else { return nil }
                return NSPredicate(format: "%K CONTAINS[cd] %@", property.name, text)
            })
    }

    private func explanationProblem(_ list: ObjectList) throws -> StoreProblem? {
        do throws(FetchExplanation.Refusal) {
            _ = try stack.coordinator.explanation(of: list.request())
            return nil
        } catch {
            return StoreProblem("the store rejects the predicate: \(error.reason)")
        }
    }

    func sql(_ query: ListQuery) throws -> SQLText {
        let list = try list(query)
        guard let explanation = try stack.coordinator.explanation(of: list.request()) else {
            return SQLText(text: nil, note: "\(kind.rawValue) stores are searched in memory, without SQL.")
        }
        var notes: [String] = []
        if !explanation.filtersInSQL {
            notes.append(
                "SQL cannot express all of the predicate: every row of the entity is read and evaluated in memory.")
        }
        if !explanation.isStandalone {
            notes.append("NSCoreDataFunction is a function of the store’s connections, which sqlite3 does not have.")
        } else if !explanation.isExact {
            notes.append(
                "This statement is for sqlite3. The store itself uses functions that compare text and numbers as predicates do: "
                    + "with all languages’ letters and accents, and with all digits of decimals.")
        }
        return SQLText(text: explanation.sql, note: notes.isEmpty ? nil : notes.joined(separator: " "))
    }

    private func scoped(
        _ scope: ListQuery.Scope, _ entity: NSEntityDescription
    ) throws -> ([NSPredicate], [NSManagedObjectID]?) {
        let object = try stack.object(scope.object)
        guard let relationship = object.entity.relationshipsByName[scope.relationship], relationship.isToMany else {
            throw StoreProblem("“\(object.entity.name ?? "")” has no to-many relationship “\(scope.relationship)”")
        }
        guard !relationship.isOrdered, !object.objectID.isTemporaryID,
            let (_, predicate) = RowBuilder.members(of: relationship, object)
        else { return ([], RowBuilder.destinations(of: object, relationship).map(\.objectID)) }
        return ([predicate], nil)
    }

    /// Returns the key path that a list is sorted by for a column.
    ///
    /// A to-one relationship is sorted by the destination's title or, if it has none, by its
    /// primary key.
    private func sortPath(_ key: String, _ entity: NSEntityDescription) throws(StoreProblem) -> String {
        if let attribute = entity.attribute(at: key), Self.isSortable(attribute) { return key }
        if let relationship = entity.relationshipsByName[key], let path = sortPath(relationship) { return path }
        throw StoreProblem("“\(entity.name ?? "")” cannot be sorted by “\(key)”")
    }

    private func sortPath(_ relationship: NSRelationshipDescription) -> String? {
        guard !relationship.isToMany, let destination = relationship.destinationEntity else { return nil }
        if let title = RowBuilder.titleAttribute(of: destination) { return "\(relationship.name).\(title)" }
        // Other stores sort in memory, where a primary key is not a value.
        return kind == .sqlite ? relationship.name : nil
    }

    private static func isSortable(_ attribute: NSAttributeDescription) -> Bool {
        ValueKind(attribute).map { $0.isOrdered || $0 == .uuid || $0 == .uri } ?? false
    }

    // MARK: The model

    /// Returns the entities for the page.
    func entities() -> [StoreState.Entity] {
        let members = Set((model.model.entities(forConfigurationName: model.configuration) ?? []).compactMap(\.name))
        return model.model.entities.filter { members.contains($0.name ?? "") }
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
            .map { entity in
                StoreState.Entity(
                    name: entity.name ?? "", parent: entity.superentity?.name, isAbstract: entity.isAbstract,
                    hasSubentities: !entity.subentities.isEmpty,
                    properties: RowBuilder.properties(of: entity).map(property))
            }
    }

    private func property(_ property: NSPropertyDescription) -> StoreState.Property {
        var result = StoreState.Property(
            name: property.name, kind: "attribute", type: "", isOptional: property.isOptional, isSortable: false,
            isEditable: false, isToMany: false, isOrdered: false)
        if let relationship = property as? NSRelationshipDescription {
            result.kind = "relationship"
            result.type = relationship.destinationEntity?.name ?? ""
            result.isToMany = relationship.isToMany
            result.isOrdered = relationship.isToMany && relationship.isOrdered
            result.isEditable = true
            if let path = sortPath(relationship) {
                result.isSortable = true
                result.sortNote = path == relationship.name ? "the primary key of \(result.type)" : path
            }
        } else if let attribute = property as? NSAttributeDescription {
            result.type = CellReader.typeName(attribute)
            result.isSortable = Self.isSortable(attribute)
            result.isEditable = attribute.isEditable
            if let composite = attribute as? NSCompositeAttributeDescription {
                let fields = composite.fields
                let sortable = fields.filter { Self.isSortable($0.attribute) }.map(\.path)
                result.sortFields = sortable.isEmpty ? nil : sortable
                result.elements = fields.filter(\.attribute.isEditable).map {
                    StoreState.Element(name: $0.path, type: CellReader.typeName($0.attribute))
                }
            }
        }
        return result
    }
}
