internal import CoreData
internal import Foundation
internal import ModelEditor
internal import ModelcDriver

/// Edits of a store's objects, until they are saved together.
final class StoreEditor {
    let session: StoreSession
    let journal: Journal<StoreJournalEntry>?
    private let usesJournal: Bool
    /// The latest entries, if the journal could not be written, so that a crash would lose them.
    var unwritten: [StoreJournalEntry] = []
    /// Whether the user was asked what to do about conflicts of the edits that an earlier run did not save.
    var asksAboutRecovery = false
    /// The unsaved objects by the names that later edits refer to them by.
    private(set) var created: [String: NSManagedObject] = [:]
    /// Their names, by their URIs.
    private var labels: [String: String] = [:]
    /// The order in which objects were created: those of one import belong together.
    private var positions: [NSManagedObjectID: (edit: Int, index: Int)] = [:]
    /// The number of edits so far.
    var revision = 0

    init(_ session: StoreSession, journalFolder: String?, _ files: any FileSystem) {
        self.session = session
        usesJournal = journalFolder != nil
        journal = journalFolder.flatMap {
            Journal(path: session.url.resolvingSymlinksInPath().path, folder: $0, files: files)
        }
        session.unsavedObjects = { [weak self] in self?.insertedObjects(of: $0) ?? [] }
    }

    var context: NSManagedObjectContext { session.stack.context }

    /// The path of a copy of the journal, if it could not be read as a whole; otherwise `nil`.
    var damagedJournal: String? { journal?.damagedCopy }

    var canUndo: Bool { context.undoManager?.canUndo ?? false }

    var canRedo: Bool { context.undoManager?.canRedo ?? false }

    /// Opens the store for writing.
    ///
    /// - Throws: `StoreProblem` if the file cannot be written or another studio edits it.
    func enable() throws(StoreProblem) {
        guard !usesJournal || journal != nil else {
            throw StoreProblem(
                "another studio has this store open, or the journal cannot be written",
                help: "Quit the other studio, or check the cache folder.")
        }
        try session.makeWritable()
    }

    func perform(_ request: StoreRequest, isReadOnly: Bool, _ reply: inout StoreReply) throws {
        guard !isReadOnly else {
            throw StoreProblem("the studio was started with --read-only", help: "Start it without this option.")
        }
        switch request {
        case .enableEditing: return try enable()
        case .forget:
            journal?.clear()
            return
        case .recover:
            try enable()
            return try recover(keepsEdits: nil, &reply)
        case .resolve(let keepsEdits) where recoverableCount > 0 && asksAboutRecovery:
            return try recover(keepsEdits: keepsEdits, &reply)
        default: break
        }
        guard session.stack.isWritable else {
            throw StoreProblem("the store is open for reading only", help: "Request write access with Edit.")
        }
        guard recoverableCount == 0 else {
            throw StoreProblem("the last session ended with unsaved edits", help: "Restore or discard them first.")
        }
        revision += 1
        switch request {
        case .edit(let edit):
            (reply.created, reply.position) = try perform(edit, &reply)
        case .importRows(let entity, let format, let text, let skipsInvalidRows):
            try importRows(entity, format: format, text: text, skipsInvalidRows: skipsInvalidRows, reply: &reply)
        case .undo where canUndo:
            context.undoManager?.undo()
            append(.undo, &reply)
        case .redo where canRedo:
            context.undoManager?.redo()
            append(.redo, &reply)
        case .save where session.isReplaced, .resolve(keepsEdits: true) where session.isReplaced:
            throw StoreProblem(
                "the file was replaced by another one, so the edits cannot be saved",
                help: "Discard the edits to see the new file.")
        case .save where session.isOutdated: reply.conflicts = [outdatedConflict]
        case .save: try save(policy: .error, &reply)
        case .resolve(keepsEdits: false) where session.isOutdated: discard()
        case .resolve(let keepsEdits):
            if session.isOutdated { try session.stack.acceptOverwriting() }
            try save(policy: keepsEdits ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump, &reply)
        case .discard: discard()
        default: break
        }
        context.processPendingChanges()
        // The edits of a file that another program has replaced are undone.
        if !context.hasChanges, session.isOutdated || session.isReplaced { discard() }
        session.refreshUneditedObjects()
        session.forgetMemberLists()
        if reply.invalid == nil { reply.invalid = invalidValues() }
    }

    /// Performs an edit, and adds it to the journal.
    @discardableResult
    func perform(_ edit: StoreEdit, _ reply: inout StoreReply) throws -> (created: String?, position: Int?) {
        let named = named(edit)
        let steps = context.undoManager?.undoCount
        let result = try apply(edit)
        // An edit that changed nothing cannot be undone, so the journal does not have it.
        if context.undoManager?.undoCount != steps {
            append(.edit(named, versions: versions(ofObjectsIn: named)), &reply)
        }
        return result
    }

    private func append(_ entry: StoreJournalEntry, _ reply: inout StoreReply) {
        if !append(entry) {
            reply.notice = "The journal cannot be written. Save often: a crash would lose unsaved edits."
        }
    }

    /// Adds an entry to the journal.
    ///
    /// - Returns: Whether it was written.
    func append(_ entry: StoreJournalEntry) -> Bool {
        guard let journal else { return true }
        unwritten.append(entry)
        guard journal.append(unwritten) else { return false }
        unwritten = []
        return true
    }

    // MARK: Edits

    /// Performs an edit, as one undo step.
    ///
    /// - Returns: The URI of a new object, and the index of a destination that was moved.
    @discardableResult
    func apply(_ edit: StoreEdit) throws -> (created: String?, position: Int?) {
        context.undoManager?.beginUndoGrouping()
        defer {
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
        switch edit {
        case .set, .link, .delete: try action(edit, object: object(edit.uri ?? ""), find: object)()
        case .addMember(let uri, let key, let destination):
            try changeMembers(try object(uri), key: key, uri: destination, adds: true)
        case .removeMember(let uri, let key, let destination):
            try changeMembers(try object(uri), key: key, uri: destination, adds: false)
        case .moveMember(let uri, let key, let destination, let distance):
            return (nil, try moveMember(try object(uri), key: key, uri: destination, by: distance))
        case .create(let name, let label):
            let entity = try creatableEntity(name)
            return (create(entity, label, index: 0).objectID.uriText, nil)
        case .group(let edits): try perform(edits)
        case .insert(let rows): try insert(rows)
        }
        return (nil, nil)
    }

    /// Performs all of several edits, or none.
    private func perform(_ edits: [StoreEdit]) throws {
        var names = Set(edits.compactMap(\.uri))
        guard names.count <= StoreService.rowLimit else {
            throw StoreProblem("more than \(StoreService.rowLimit) objects cannot be edited at once")
        }
        for case .link(_, _, let destination?) in edits { names.insert(destination) }
        let stored = names.filter { !$0.hasPrefix("new:") }
        let objects = try session.stack.objects(Array(stored))
        func found(_ uri: String) throws -> NSManagedObject { try objects[uri] ?? object(uri) }
        let actions = try edits.map { edit in try action(edit, object: try found(edit.uri ?? ""), find: found) }
        for action in actions { action() }
    }

    /// Checks an edit of one object.
    ///
    /// - Parameter find: Returns the object with a URI.
    /// - Returns: The function that performs the edit.
    private func action(
        _ edit: StoreEdit, object: NSManagedObject, find: (String) throws -> NSManagedObject
    ) throws -> () -> Void {
        switch edit {
        case .set(_, let key, let text):
            let (name, value) = try setting(object, key: key, text: text)
            return { object.setValue(value, forKey: name) }
        case .link(_, let key, let destination):
            let relationship = try relationship(key, of: object, isToMany: false)
            let other = try destination.map { try check(try find($0), relationship) }
            return { object.setValue(other, forKey: key) }
        case .delete: return { [context] in context.delete(object) }
        default: throw StoreProblem("only values, to-one relationships and deletions can be edited together")
        }
    }

    func creatableEntity(_ name: String) throws -> NSEntityDescription {
        let entity = try session.entity(name)
        guard !entity.isAbstract else {
            throw StoreProblem("“\(name)” is abstract", help: "Create an object of a subentity.")
        }
        return entity
    }

    func create(_ entity: NSEntityDescription, _ label: String, index: Int) -> NSManagedObject {
        let object = NSManagedObject(entity: entity, insertInto: context)
        created[label] = object
        labels[object.objectID.uriText] = label
        positions[object.objectID] = (revision, index)
        return object
    }

    /// Returns the unsaved objects of an entity, in the order of lists: those that were created last first, those of
    /// one import in the order of its rows.
    func insertedObjects(of entity: NSEntityDescription) -> [NSManagedObject] {
        context.insertedObjects.filter { $0.entity.isKindOf(entity: entity) }
            .map { (object: $0, position: positions[$0.objectID] ?? (0, 0)) }
            .sorted { ($1.position.edit, $0.position.index) < ($0.position.edit, $1.position.index) }
            .map(\.object)
    }

    /// Finds an object by its URI, or by the name that it was created with.
    private func object(_ uri: String) throws -> NSManagedObject {
        if uri.hasPrefix("new:"), let object = created[String(uri.dropFirst(4))] { return object }
        if let label = labels[uri], let object = created[label], object.managedObjectContext != nil { return object }
        return try session.stack.object(uri)
    }

    /// Returns an edit with the names of unsaved objects in place of their URIs, which are valid only in this process.
    private func named(_ edit: StoreEdit) -> StoreEdit {
        func name(_ uri: String) -> String { labels[uri].map { "new:" + $0 } ?? uri }
        return switch edit {
        case .set(let uri, let key, let text): .set(uri: name(uri), key: key, text: text)
        case .link(let uri, let key, let other): .link(uri: name(uri), key: key, destination: other.map(name))
        case .addMember(let uri, let key, let other): .addMember(uri: name(uri), key: key, destination: name(other))
        case .removeMember(let uri, let key, let other):
            .removeMember(uri: name(uri), key: key, destination: name(other))
        case .moveMember(let uri, let key, let other, let distance):
            .moveMember(uri: name(uri), key: key, destination: name(other), distance: distance)
        case .create, .insert: edit
        case .delete(let uri): .delete(uri: name(uri))
        case .group(let edits): .group(edits.map(named))
        }
    }

    /// Checks a value.
    ///
    /// - Returns: The attribute to set, with its new value.
    func setting(_ object: NSManagedObject, key: String, text: String?) throws -> (String, Any?) {
        let parts = key.split(separator: ".").map(String.init)
        guard let name = parts.first, let attribute = object.entity.attributesByName[name],
            !(attribute is NSDerivedAttributeDescription)
        else { throw StoreProblem("“\(key)” cannot be edited") }
        guard !object.isDeleted else { throw StoreProblem("the object is deleted", help: "Undo the deletion first.") }
        if let composite = attribute as? NSCompositeAttributeDescription, parts.count > 1 {
            let values = object.value(forKey: name) as? [String: Any] ?? [:]
            let changed = try element(values, composite: composite, path: parts[1...], text: text)
            return (name, changed.isEmpty ? nil : changed)
        }
        guard parts.count == 1, text == nil || !(attribute is NSCompositeAttributeDescription) else {
            throw StoreProblem("“\(key)” cannot be edited as a whole", help: "Edit its elements.")
        }
        return (name, try text.map { try ValueParser.value($0, attribute) })
    }

    private func element(
        _ values: [String: Any], composite: NSCompositeAttributeDescription, path: ArraySlice<String>,
        text: String?
    ) throws -> [String: Any] {
        var values = values
        guard let name = path.first, let element = composite.elements.first(where: { $0.name == name }) else {
            throw StoreProblem("“\(composite.name)” has no such element")
        }
        if let inner = element as? NSCompositeAttributeDescription {
            let changed = try self.element(
                values[name] as? [String: Any] ?? [:], composite: inner, path: path.dropFirst(), text: text)
            values[name] = changed.isEmpty ? nil : changed
        } else {
            values[name] = try text.map { try ValueParser.value($0, element) }
        }
        return values
    }

    func relationship(
        _ key: String, of object: NSManagedObject, isToMany: Bool
    ) throws -> NSRelationshipDescription {
        guard let relationship = object.entity.relationshipsByName[key], relationship.isToMany == isToMany else {
            throw StoreProblem("“\(object.entity.name ?? "")” has no such relationship “\(key)”")
        }
        guard !object.isDeleted else { throw StoreProblem("the object is deleted", help: "Undo the deletion first.") }
        return relationship
    }

    /// Checks that a relationship can lead to an object, and returns the object.
    func check(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> NSManagedObject {
        guard let entity = relationship.destinationEntity, object.entity.isKindOf(entity: entity) else {
            throw StoreProblem(
                "“\(relationship.name)” leads to “\(relationship.destinationEntity?.name ?? "")” and not to "
                    + "“\(object.entity.name ?? "")”")
        }
        guard !object.isDeleted else {
            throw StoreProblem("the object is deleted", help: "Undo the deletion first.")
        }
        return object
    }

    private func changeMembers(_ object: NSManagedObject, key: String, uri: String, adds: Bool) throws {
        let relationship = try relationship(key, of: object, isToMany: true)
        let member = try check(try self.object(uri), relationship)
        if relationship.isOrdered {
            let members = object.mutableOrderedSetValue(forKey: key)
            if adds { members.add(member) } else { members.remove(member) }
        } else {
            let members = object.mutableSetValue(forKey: key)
            if adds { members.add(member) } else { members.remove(member) }
        }
    }

    /// Moves a destination, and returns its new index.
    private func moveMember(
        _ object: NSManagedObject, key: String, uri: String, by distance: Int
    ) throws -> Int {
        let relationship = try relationship(key, of: object, isToMany: true)
        guard relationship.isOrdered else { throw StoreProblem("the relationship “\(key)” has no order") }
        let members = object.mutableOrderedSetValue(forKey: key)
        let position = members.index(of: try check(try self.object(uri), relationship))
        guard position != NSNotFound else {
            throw StoreProblem("the object is no longer in “\(key)”", help: "Reload the list.")
        }
        let distance = max(-position, min(members.count - 1 - position, distance))
        if distance != 0 { members.moveObjects(at: IndexSet(integer: position), to: position + distance) }
        return position + distance
    }

    /// Forgets the unsaved objects and the undo steps.
    func forgetObjects() {
        context.undoManager?.removeAllActions()
        created = [:]
        labels = [:]
        positions = [:]
    }
}
