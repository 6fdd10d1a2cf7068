/// A box of a graph.
package struct GraphEntity: Hashable, Sendable {
    /// The role of a box.
    package enum Role: Hashable, Sendable {
        /// An entity of the model, with its properties.
        case shown
        /// An entity that is related to a requested one, of which only the name is shown.
        case neighbor
        /// A name that the model mentions although there is no such entity.
        case missing
    }

    /// A line of text in a box.
    package struct Row: Hashable, Sendable {
        /// The property's name.
        package var name: String
        /// Its type, in words.
        package var type: String
        /// Whether it may have no value.
        package var isOptional: Bool
        /// Whether it is never saved.
        package var isTransient: Bool
        /// The difference from another version; `nil` in a picture of one version.
        package var mark: GraphMark?

        /// Creates a row of a required, saved property.
        package init(name: String, type: String, isOptional: Bool = false, isTransient: Bool = false) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.isTransient = isTransient
        }
    }

    /// The entity's name; empty for a destination that the model does not specify.
    package var name: String
    /// The role of the box.
    package var role: Role
    /// Whether the entity is abstract.
    package var isAbstract: Bool
    /// The attributes and fetched properties, in the order of the model.
    package var rows: [Row]
    /// The entity's difference from another version; `nil` in a picture of one version.
    package var mark: GraphMark?

    /// The name as pictures show it, with words in place of an empty one.
    var shownName: String {
        guard name.isEmpty else { return name }
        return role == .missing ? "no destination" : "no name"
    }

    /// The text above the entity's name in pictures.
    var stereotype: String? {
        switch role {
        case .missing: name.isEmpty ? nil : "not in the model"
        case .shown, .neighbor: isAbstract ? "abstract" : nil
        }
    }

    /// Creates a box without rows.
    package init(name: String, role: Role = .shown) {
        self.name = name
        self.role = role
        isAbstract = false
        rows = []
    }
}
