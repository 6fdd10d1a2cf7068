internal import CoreData
internal import Foundation

/// The details of an error from saving or validation.
struct SaveFailure {
    private(set) var invalid: [InvalidValue] = []
    /// The objects that another program has changed.
    private(set) var conflicts: [SaveConflict] = []

    /// Reads an error.
    ///
    /// - Parameter object: The object that was validated, if the error does not name it.
    init(_ error: NSError, object: NSManagedObject? = nil) {
        if let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError] {
            for part in parts { add(part, object) }
        } else {
            add(error, object)
        }
    }

    private mutating func add(_ error: NSError, _ validated: NSManagedObject?) {
        switch error.userInfo["conflictList"] {
        case let list as [NSMergeConflict]: conflicts += list.map(Self.conflict)
        case let list as [NSConstraintConflict]: invalid += list.flatMap(Self.invalid)
        default:
            guard (1550...1699).contains(error.code),
                let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject ?? validated
            else { return }
            invalid.append(
                InvalidValue(
                    uri: object.objectID.uriText, key: error.userInfo[NSValidationKeyErrorKey] as? String,
                    message: error.localizedDescription))
        }
    }

    private static func invalid(_ conflict: NSConstraintConflict) -> [InvalidValue] {
        conflict.conflictingObjects.map { object in
            InvalidValue(
                uri: object.objectID.uriText, key: conflict.constraint.first,
                message:
                    "another object has the same \(conflict.constraint.joined(separator: ", ")), which must be unique")
        }
    }

    private static func conflict(_ conflict: NSMergeConflict) -> SaveConflict {
        let object = conflict.sourceObject
        let entity = object.entity
        var result = SaveConflict(uri: object.objectID.uriText, message: "", properties: [])
        let name = "\(entity.name ?? "") \(object.objectID.keyText)"
        guard conflict.newVersionNumber != 0, let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot else {
            result.message = "\(name) was deleted by another program. Keeping your edits restores it."
            return result
        }
        result.message =
            object.isDeleted
            ? "\(name), which is deleted here, was changed by another program."
            : "\(name) was changed by another program since it was read."
        result.properties = SaveConflict.properties(of: object) { stored[$0] }
        return result
    }
}

extension SaveConflict {
    /// Describes an object that was edited in a state that is no longer the store's; `nil` if the store has the edits.
    init?(restoring object: NSManagedObject) {
        let stored = object.committedValues(forKeys: nil)
        let properties = Self.properties(of: object) { stored[$0] }.filter { $0.mine != $0.theirs }
        guard object.isDeleted || !properties.isEmpty else { return nil }
        let name = "\(object.entity.name ?? "") \(object.objectID.keyText)"
        self.init(
            uri: object.objectID.uriText,
            message: object.isDeleted
                ? "\(name), which is deleted by an unsaved edit, was changed by another program."
                : "\(name) was changed by another program since it was edited.",
            properties: properties)
    }

    /// Returns the edited properties of an object.
    ///
    /// - Parameter stored: Returns the value in the store.
    fileprivate static func properties(of object: NSManagedObject, stored: (String) -> Any?) -> [Property] {
        object.changedValues().keys.sorted().map { key in
            guard let attribute = object.entity.attributesByName[key] else {
                return Property(name: key, mine: "edited", theirs: "the stored relationship")
            }
            func text(_ value: Any?) -> String {
                let value = value is NSNull ? nil : value
                if let date = value as? Date { return "\(date)" }
                let cell = CellReader().cell(value, attribute)
                return cell.kind == "null" ? "nil" : cell.text ?? ""
            }
            return Property(name: key, mine: text(object.value(forKey: key)), theirs: text(stored(key)))
        }
    }
}
