internal import CoreData
internal import Foundation
internal import ModelcDriver
internal import StudioSession

/// Edits of a store's objects, until they are saved together.
final class StoreEditor {
    /// An entry in the journal. Unsaved objects have the names that `create` gave them.
    enum Entry: Codable, Sendable {
        case edit(StoreEdit)
        case undo
        case redo
    }

    private let session: StoreSession
    private let journal: Journal<Entry>?
    private let usesJournal: Bool
    private var created: [String: NSManagedObject] = [:]
    /// The number of edits so far.
    private(set) var revision = 0

    init(_ session: StoreSession, journalFolder: String?, _ files: any FileSystem) {
        self.session = session
        usesJournal = journalFolder != nil
        journal = journalFolder.flatMap {
            Journal(path: session.url.resolvingSymlinksInPath().path, folder: $0, files: files)
        }
    }

    var context: NSManagedObjectContext { session.stack.context }

    /// The number of edits that an earlier run did not save.
    var recoverableCount: Int { journal?.found.count ?? 0 }

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

    /// Performs a request.
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
            return try recover(&reply)
        default: break
        }
        guard session.stack.isWritable else {
            throw StoreProblem("the store is open for reading only", help: "Request write access with Edit.")
        }
        revision += 1
        switch request {
        case .edit(let edit):
            reply.created = try apply(edit)
            append(.edit(named(edit)), &reply)
        case .undo where canUndo:
            context.undoManager?.undo()
            append(.undo, &reply)
        case .redo where canRedo:
            context.undoManager?.redo()
            append(.redo, &reply)
        case .save where session.isOutdated: reply.conflicts = [outdatedConflict]
        case .save: try save(policy: .error, &reply)
        case .resolve(keepsEdits: false) where session.isOutdated: discard()
        case .resolve(let keepsEdits):
            try save(policy: keepsEdits ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump, &reply)
        case .discard: discard()
        default: break
        }
        context.processPendingChanges()
        session.forgetMemberLists()
        if reply.invalid == nil { reply.invalid = invalidValues() }
    }

    private func append(_ entry: Entry, _ reply: inout StoreReply) {
        guard let journal else { return }
        journal.keepFound()
        if !journal.append(entry) {
            reply.notice = "The journal cannot be written. Save often: a crash would lose unsaved edits."
        }
    }

    private func recover(_ reply: inout StoreReply) throws {
        let entries = journal?.found ?? []
        journal?.clear()
        var failures = 0
        for entry in entries {
            do {
                switch entry {
                case .edit(let edit): _ = try apply(edit)
                case .undo: if canUndo { context.undoManager?.undo() }
                case .redo: if canRedo { context.undoManager?.redo() }
                }
                append(entry, &reply)
            } catch {
                failures += 1
            }
        }
        revision += 1
        reply.notice =
            failures == 0
            ? "Restored \(entries.count) edits" : "\(failures) of \(entries.count) edits could not be repeated"
        reply.invalid = invalidValues()
    }

    // MARK: Edits

    /// Performs an edit, as one undo step.
    ///
    /// - Returns: The URI of a new object.
    private func apply(_ edit: StoreEdit) throws -> String? {
        context.undoManager?.beginUndoGrouping()
        defer {
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
        switch edit {
        case .set(let uri, let key, let text): try set(try object(uri), key, text)
        case .link(let uri, let key, let destination):
            let object = try object(uri)
            let relationship = try relationship(key, of: object, isToMany: false)
            object.setValue(try destination.map { try self.destination($0, relationship) }, forKey: key)
        case .addMember(let uri, let key, let destination):
            try changeMembers(try object(uri), key, destination, adds: true)
        case .removeMember(let uri, let key, let destination):
            try changeMembers(try object(uri), key, destination, adds: false)
        case .moveMember(let uri, let key, let destination, let distance):
            try moveMember(try object(uri), key, destination, by: distance)
        case .create(let name, let label):
            let entity = try session.entity(name)
            guard !entity.isAbstract else {
                throw StoreProblem("“\(name)” is abstract", help: "Create an object of a subentity.")
            }
            let object = NSManagedObject(entity: entity, insertInto: context)
            created[label] = object
            return object.objectID.uriText
        case .delete(let uri): context.delete(try object(uri))
        }
        return nil
    }

    /// Finds an object by its URI, or by the name that it was created with.
    private func object(_ uri: String) throws -> NSManagedObject {
        if uri.hasPrefix("new:"), let object = created[String(uri.dropFirst(4))] { return object }
        return try session.stack.object(uri)
    }

    /// Returns an edit with the names of unsaved objects in place of their URIs, which are valid only in this process.
    private func named(_ edit: StoreEdit) -> StoreEdit {
        func name(_ uri: String) -> String {
            created.first { $0.value.objectID.isTemporaryID && $0.value.objectID.uriText == uri }.map {
                "new:" + $0.key
            }
                ?? uri
        }
        return switch edit {
        case .set(let uri, let key, let text): .set(uri: name(uri), key: key, text: text)
        case .link(let uri, let key, let other): .link(uri: name(uri), key: key, destination: other.map(name))
        case .addMember(let uri, let key, let other): .addMember(uri: name(uri), key: key, destination: name(other))
        case .removeMember(let uri, let key, let other):
            .removeMember(uri: name(uri), key: key, destination: name(other))
        case .moveMember(let uri, let key, let other, let distance):
            .moveMember(uri: name(uri), key: key, destination: name(other), distance: distance)
        case .create: edit
        case .delete(let uri): .delete(uri: name(uri))
        }
    }

    private func set(_ object: NSManagedObject, _ key: String, _ text: String?) throws {
        let parts = key.split(separator: ".").map(String.init)
        guard let name = parts.first, let attribute = object.entity.attributesByName[name],
            !(attribute is NSDerivedAttributeDescription)
        else { throw StoreProblem("“\(key)” cannot be edited") }
        guard !object.isDeleted else { throw StoreProblem("the object is deleted", help: "Undo the deletion first.") }
        if let composite = attribute as? NSCompositeAttributeDescription, parts.count > 1 {
            let values = object.value(forKey: name) as? [String: Any] ?? [:]
            object.setValue(try element(values, composite, parts[1...], text), forKey: name)
            return
        }
        guard parts.count == 1, text == nil || !(attribute is NSCompositeAttributeDescription) else {
            throw StoreProblem("“\(key)” cannot be edited as a whole", help: "Edit its elements.")
        }
        object.setValue(try text.map { try ValueParser.value($0, attribute) }, forKey: name)
    }

    private func element(
        _ values: [String: Any], _ composite: NSCompositeAttributeDescription, _ path: ArraySlice<String>,
        _ text: String?
    ) throws -> [String: Any] {
        var values = values
        guard let name = path.first, let element = composite.elements.first(where: { $0.name == name }) else {
            throw StoreProblem("“\(composite.name)” has no such element")
        }
        if let inner = element as? NSCompositeAttributeDescription {
            values[name] = try self.element(values[name] as? [String: Any] ?? [:], inner, path.dropFirst(), text)
        } else {
            values[name] = try text.map { try ValueParser.value($0, element) }
        }
        return values
    }

    private func relationship(
        _ key: String, of object: NSManagedObject, isToMany: Bool
    ) throws -> NSRelationshipDescription {
        guard let relationship = object.entity.relationshipsByName[key], relationship.isToMany == isToMany else {
            throw StoreProblem("“\(object.entity.name ?? "")” has no such relationship “\(key)”")
        }
        guard !object.isDeleted else { throw StoreProblem("the object is deleted", help: "Undo the deletion first.") }
        return relationship
    }

    private func destination(_ uri: String, _ relationship: NSRelationshipDescription) throws -> NSManagedObject {
        let object = try object(uri)
        guard let entity = relationship.destinationEntity, object.entity.isKindOf(entity: entity) else {
            throw StoreProblem(
                "“\(relationship.name)” leads to “\(relationship.destinationEntity?.name ?? "")” and not to "
                    + "“\(object.entity.name ?? "")”")
        }
        return object
    }

    private func changeMembers(_ object: NSManagedObject, _ key: String, _ uri: String, adds: Bool) throws {
        let relationship = try relationship(key, of: object, isToMany: true)
        let member = try destination(uri, relationship)
        if relationship.isOrdered {
            let members = object.mutableOrderedSetValue(forKey: key)
            if adds { members.add(member) } else { members.remove(member) }
        } else {
            let members = object.mutableSetValue(forKey: key)
            if adds { members.add(member) } else { members.remove(member) }
        }
    }

    private func moveMember(_ object: NSManagedObject, _ key: String, _ uri: String, by distance: Int) throws {
        let relationship = try relationship(key, of: object, isToMany: true)
        guard relationship.isOrdered else { throw StoreProblem("the relationship “\(key)” has no order") }
        let members = object.mutableOrderedSetValue(forKey: key)
        let place = members.index(of: try destination(uri, relationship))
        guard place != NSNotFound else {
            throw StoreProblem("the object is no longer in “\(key)”", help: "Reload the list.")
        }
        let distance = max(-place, min(members.count - 1 - place, distance))
        if distance != 0 { members.moveObjects(at: IndexSet(integer: place), to: place + distance) }
    }

    // MARK: Saving

    private var outdatedConflict: SaveConflict {
        SaveConflict(
            uri: "", message: "“\(session.url.lastPathComponent)” was changed by another program.", properties: [],
            replacesFile: true)
    }

    private func save(policy: NSMergePolicy, _ reply: inout StoreReply) throws {
        context.mergePolicy = policy
        defer { context.mergePolicy = NSMergePolicy.error }
        do {
            try context.save()
        } catch {
            let failure = SaveFailure(error as NSError)
            reply.conflicts = failure.conflicts.isEmpty ? nil : failure.conflicts
            reply.invalid = failure.invalid.isEmpty ? nil : failure.invalid
            if reply.conflicts == nil {
                reply.problem =
                    failure.invalid.isEmpty
                    ? StoreProblem(error)
                    : StoreProblem("some values are not valid; nothing was saved", help: failure.invalid[0].message)
            }
            return
        }
        context.undoManager?.removeAllActions()
        created = [:]
        journal?.clear()
        session.noteOwnSave()
        reply.notice = "Saved"
        reply.invalid = []
    }

    private func discard() {
        context.rollback()
        context.undoManager?.removeAllActions()
        created = [:]
        journal?.clear()
        if session.isOutdated { session.reopen() }
    }

    /// Returns the invalid values of all edited objects.
    private func invalidValues() -> [InvalidValue] {
        var result: [InvalidValue] = []
        for object in context.insertedObjects.union(context.updatedObjects) {
            do {
                if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
            } catch {
                result += SaveFailure(error as NSError, object: object).invalid
            }
        }
        return result
    }
}
