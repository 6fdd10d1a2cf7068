/// An edit of an object.
package enum StoreEdit: Codable, Sendable {
    /// A new object with its values.
    package struct NewRow: Codable, Sendable {
        /// The name that later edits refer to it by.
        package var name: String
        package var entity: String
        /// The values as strings, by attribute or key path to an element of a composite attribute; `nil` for no value.
        /// Attributes that are left out get their default values.
        package var values: [String: String?]
        /// The URIs of to-one relationships' destinations.
        package var links: [String: String]
        /// The URIs of to-many relationships' destinations, in their order.
        package var members: [String: [String]]?
    }

    /// Sets a value, given as the user typed it; `nil` for no value. For composite attributes, `key` is a key path to
    /// the element.
    case set(uri: String, key: String, text: String?)
    /// Sets the destination of a to-one relationship; `nil` for none.
    case link(uri: String, key: String, destination: String?)
    /// Adds a destination to a to-many relationship.
    case addMember(uri: String, key: String, destination: String)
    /// Removes a destination from a to-many relationship.
    case removeMember(uri: String, key: String, destination: String)
    /// Moves a destination of an ordered relationship towards its end, or its start if the distance is negative; not
    /// beyond either.
    case moveMember(uri: String, key: String, destination: String, distance: Int)
    /// Creates an object with a name that later edits refer to it by.
    case create(entity: String, name: String)
    /// Deletes an object.
    case delete(uri: String)
    /// Sets values and to-one relationships, and deletes objects, as one undo step. Performs all or, if one fails,
    /// none.
    case group([StoreEdit])
    /// Creates objects as one undo step.
    case insert([NewRow])
}

extension StoreEdit {
    /// The URI of the object that a `set`, `link` or `delete` edits.
    var uri: String? {
        switch self {
        case .set(let uri, _, _), .link(let uri, _, _), .delete(let uri): uri
        default: nil
        }
    }
}

/// A property with an invalid value.
package struct InvalidValue: Codable, Hashable, Sendable {
    /// The URI of the object.
    package var uri: String
    /// The property; `nil` if the object as a whole is invalid.
    package var key: String?
    /// The problem.
    package var message: String
}

/// An object that another program has changed or deleted since it was read.
package struct SaveConflict: Codable, Sendable {
    /// A property that both have changed.
    package struct Property: Codable, Sendable {
        package var name: String
        /// The edited value.
        package var mine: String
        /// The value in the store.
        package var theirs: String
    }

    /// The URI of the object.
    package var uri: String
    /// What happened, in a sentence.
    package var message: String
    /// The conflicting properties.
    package var properties: [Property]
    /// Whether another program has changed the file, which is written as a whole: one side's changes are lost.
    package var replacesFile: Bool?
}
