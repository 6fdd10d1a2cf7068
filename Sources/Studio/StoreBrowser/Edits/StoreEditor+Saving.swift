internal import CoreData
internal import Foundation
internal import ModelEditor

/// What ends unsaved edits.
extension StoreEditor {
    var outdatedConflict: SaveConflict {
        SaveConflict(
            uri: "", message: "“\(session.url.lastPathComponent)” was changed by another program.", properties: [],
            replacesFile: true)
    }

    func save(policy: NSMergePolicy, _ reply: inout StoreReply) throws {
        context.mergePolicy = policy
        // The save is in the same transaction as the object: a journal that outlives it is not repeated.
        context.beforeSaveHandler = { [unowned self] in
            if let uri = context.insertedObjects.first?.objectID.uriText { _ = append(.saving(newObject: uri)) }
        }
        defer {
            context.mergePolicy = NSMergePolicy.error
            context.beforeSaveHandler = nil
        }
        do {
            try context.save()
        } catch {
            if (error as NSError).userInfo[NSPersistentStoreSaveOutcomeUnknownKey] == nil {
                // The number of the object may be given to one of another program.
                _ = append(.saving(newObject: ""))
            }
            let failure = SaveFailure(error as NSError)
            reply.conflicts = failure.conflicts.isEmpty ? nil : failure.conflicts
            reply.invalid = failure.invalid.isEmpty ? nil : failure.invalid
            if reply.conflicts == nil {
                reply.problem =
                    failure.invalid.isEmpty
                    ? StoreProblem(error)
                    : StoreProblem(
                        "some values are not valid; nothing was saved", help: explanation(of: failure.invalid[0]))
            }
            return
        }
        forgetEdits()
        session.recordOwnSave()
        reply.notice = "Saved"
        reply.invalid = []
    }

    /// Returns what is wrong with a value, and the object that has it.
    private func explanation(of value: InvalidValue) -> String {
        guard let object = try? session.stack.object(value.uri) else { return value.message }
        let key = object.objectID.keyText
        return "\(object.entity.name ?? "") \(key.isEmpty ? "(new)" : key): \(value.message)"
    }

    private func forgetEdits() {
        unwritten = []
        forgetObjects()
        journal?.clear()
    }

    func discard() {
        context.rollback()
        forgetEdits()
        if session.isOutdated || session.isReplaced { session.reopen() }
    }

    /// Returns the invalid values of all edited objects.
    func invalidValues() -> [InvalidValue] {
        var result: [InvalidValue] = []
        for object in context.insertedObjects.union(context.updatedObjects) {
            do {
                if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
            } catch {
                result += SaveFailure(error as NSError, object: object).invalid
            }
        }
        for object in context.deletedObjects {
            do {
                try object.validateForDelete()
            } catch {
                result += SaveFailure(error as NSError, object: object).invalid
            }
        }
        return result
    }
}
