internal import CoreData
internal import Foundation
internal import ModelcDriver

/// An open store, with the lists that are shown and the page's view of the model.
final class StoreSession {
    let url: URL
    let kind: StoreKind
    let model: StoreModel
    private(set) var stack: StoreStack
    private var lists: [ListQuery: ObjectList] = [:]
    private var listOrder: [ListQuery] = []
    private var stamp = ""
    /// The number of changes of the file so far.
    private(set) var diskRevision = 0
    /// Whether another program has replaced the file of a store that is read and written as a whole, and there are unsaved edits.
    private(set) var isOutdated = false
    /// Why the store's current state cannot be read; what was read before is shown.
    private(set) var refreshProblem: StoreProblem?

    /// The maximum number of lists that are kept.
    private static let listLimit = 8

    /// Opens a store for reading.
    ///
    /// - Throws: `StoreProblem` if the file cannot be shown.
    convenience init(path: String, modelPath: String?, files: any FileSystem) throws(StoreProblem) {
        let kind = try StoreKind(path, files)
        let model = try StoreModel(store: path, kind, modelPath: modelPath, files)
        try self.init(url: URL(fileURLWithPath: files.systemPath(path)), kind: kind, model: model)
    }

    /// Opens a store with its model for reading.
    ///
    /// - Throws: `StoreProblem` if the file cannot be shown.
    init(url: URL, kind: StoreKind, model: StoreModel) throws(StoreProblem) {
        self.url = url
        self.kind = kind
        self.model = model
        stack = try StoreStack(url: url, kind, model, isWritable: false)
        stamp = fileStamp()
    }

    /// Opens the store for writing.
    func makeWritable() throws(StoreProblem) {
        guard !stack.isWritable else { return }
        stack = try StoreStack(url: url, kind, model, isWritable: true)
        forgetLists()
    }

    // MARK: Changes on disk

    /// Checks whether another program has changed the store, and discards cached state if so. Call this outside the context's
    /// queue.
    func refresh() {
        let now = fileStamp()
        guard now != stamp else { return }
        let hasChanges = stack.context.hasChanges
        // A connection without a log does not see what others write, and stores without SQL are read as a whole.
        if !stack.isWritable || kind != .sqlite && !hasChanges {
            // Repeated with the next request: the file may be locked for a while.
            guard reopen() else { return }
        } else if kind != .sqlite {
            isOutdated = true
        } else if hasChanges {
            // Edited objects keep what they were read as, so that a save notices the conflict.
            for object in stack.context.registeredObjects where !object.hasChanges {
                stack.context.refresh(object, mergeChanges: false)
            }
        } else {
            stack.context.reset()
        }
        stamp = now
        diskRevision += 1
        forgetLists()
    }

    /// Reopens the store. Its unsaved edits are lost.
    ///
    /// - Returns: Whether it could be read; `refreshProblem` tells why not.
    @discardableResult
    func reopen() -> Bool {
        do throws(StoreProblem) {
            stack = try StoreStack(url: url, kind, model, isWritable: stack.isWritable)
        } catch {
            refreshProblem = error
            return false
        }
        refreshProblem = nil
        isOutdated = false
        forgetLists()
        return true
    }

    /// Records the state of the file after a save by this program.
    func noteOwnSave() {
        stamp = fileStamp()
        isOutdated = false
        forgetLists()
    }

    private func fileStamp() -> String {
        ["", "-wal"].map { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            return "\(attributes?[.size] ?? 0) \(date)"
        }.joined(separator: " ")
    }

    private func forgetLists() {
        lists = [:]
        listOrder = []
    }

    /// Forgets the lists of destinations, which contain unsaved edits.
    func forgetMemberLists() {
        lists = lists.filter { $0.key.scope == nil }
        listOrder.removeAll { $0.scope != nil }
    }

    // MARK: Lists

    /// Returns an entity.
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
        if let predicate = try PredicateCheck.predicate(query.predicate ?? "", entity) { predicates.append(predicate) }
        let sort = query.sort ?? []
        for part in sort { try checkSortKey(part.key, entity) }
        if let ids = members, !predicates.isEmpty || !sort.isEmpty {
            predicates.append(NSPredicate(format: "SELF IN %@", ids))
            members = nil
        }
        let list = ObjectList(
            stack, entity,
            predicate: predicates.isEmpty
                ? nil
                : predicates.count == 1
                    ? predicates[0] : NSCompoundPredicate(andPredicateWithSubpredicates: predicates),
            sort: sort, members: members)
        if let refused = try explanationProblem(list) { throw refused }
        lists[query] = list
        listOrder.append(query)
        if listOrder.count > Self.listLimit { lists[listOrder.removeFirst()] = nil }
        return list
    }

    private func explanationProblem(_ list: ObjectList) throws -> StoreProblem? {
        do throws(FetchExplanation.Refusal) {
            _ = try stack.coordinator.explanation(of: list.request())
            return nil
        } catch {
            return StoreProblem("the store rejects the predicate: \(error.reason)")
        }
    }

    /// Returns the SQL of a query.
    func sql(_ query: ListQuery) throws -> SQLText {
        let list = try list(query)
        guard let explanation = try stack.coordinator.explanation(of: list.request()) else {
            return SQLText(text: nil, note: "\(kind.rawValue) stores are searched in memory, without SQL.")
        }
        var note: String?
        if !explanation.filtersInSQL {
            note = "SQL cannot express all of the predicate: every row of the entity is read and evaluated in memory."
        }
        return SQLText(text: explanation.sql, note: note)
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

    private func checkSortKey(_ key: String, _ entity: NSEntityDescription) throws(StoreProblem) {
        guard let attribute = entity.attributesByName[key], Self.isSortable(attribute) else {
            throw StoreProblem("“\(entity.name ?? "")” cannot be sorted by “\(key)”")
        }
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
                    properties: RowBuilder.properties(of: entity).map(Self.property))
            }
    }

    private static func property(_ property: NSPropertyDescription) -> StoreState.Property {
        var result = StoreState.Property(
            name: property.name, kind: "attribute", type: "", isOptional: property.isOptional, isSortable: false,
            isEditable: false, isToMany: false, isOrdered: false)
        if let relationship = property as? NSRelationshipDescription {
            result.kind = "relationship"
            result.type = relationship.destinationEntity?.name ?? ""
            result.isToMany = relationship.isToMany
            result.isOrdered = relationship.isToMany && relationship.isOrdered
            result.isEditable = true
        } else if let attribute = property as? NSAttributeDescription {
            result.type = CellReader.typeName(attribute)
            result.isSortable = isSortable(attribute)
            result.isEditable =
                ![.transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType].contains(
                    attribute.attributeType) && !(attribute is NSDerivedAttributeDescription)
        }
        return result
    }
}
