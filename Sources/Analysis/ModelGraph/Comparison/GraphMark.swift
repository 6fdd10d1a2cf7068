/// The difference of a box, row or relationship from another version of the model.
package struct GraphMark: Hashable, Sendable {
    /// A kind of difference.
    package enum Kind: CaseIterable, Hashable, Sendable {
        /// Only the new version has the element.
        case added
        /// Only the old version has the element.
        case removed
        /// Both versions have the element, with different settings.
        case changed
        /// The element has another name or owner in the other version.
        case renamed
        /// The element probably has another name in the other version, but the model has no renaming identifier.
        case suspectedRename
    }

    /// The kind of difference.
    package var kind: Kind
    /// The element's name in the other version, if it differs.
    package var otherName: String?
    /// The settings that differ, in words.
    package var details: [String]

    /// Creates a mark.
    package init(_ kind: Kind, otherName: String? = nil, details: [String] = []) {
        self.kind = kind
        self.otherName = otherName
        self.details = details
    }
}

/// The differences that one side of a comparison shows, by the names of that side.
package struct GraphMarks: Hashable, Sendable {
    package var entities: [String: GraphMark] = [:]
    /// The marks of properties, by entity and property.
    package var properties: [String: [String: GraphMark]] = [:]

    /// Creates marks for a version without differences.
    package init() {}
}

extension GraphMark.Kind {
    /// The character that shows the kind without color.
    var character: String {
        switch self {
        case .added: "+"
        case .removed: "−"
        case .changed: "~"
        case .renamed: ">"
        case .suspectedRename: "?"
        }
    }

    /// The kind, in words.
    var title: String {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .changed: "changed"
        case .renamed: "renamed or moved"
        case .suspectedRename: "probably renamed"
        }
    }

    /// The color of lines and borders for a background of unknown brightness.
    var stroke: String {
        switch self {
        case .added: "#1a7f37"
        case .removed: "#cf222e"
        case .changed: "#bf8700"
        case .renamed: "#0969da"
        case .suspectedRename: "#8250df"
        }
    }

    /// The color of areas behind dark text.
    var fill: String {
        switch self {
        case .added: "#dafbe1"
        case .removed: "#ffebe9"
        case .changed: "#fff8c5"
        case .renamed: "#ddf4ff"
        case .suspectedRename: "#fbefff"
        }
    }

    /// The last letter of the kind's classes in an SVG style sheet.
    var letter: String {
        switch self {
        case .added: "a"
        case .removed: "r"
        case .changed: "c"
        case .renamed: "n"
        case .suspectedRename: "s"
        }
    }
}

extension GraphMark {
    /// Returns the name as pictures show it, with the name in the other version.
    func named(_ name: String) -> String { otherName.map { "\(name) (\($0))" } ?? name }

    /// Returns the name, preceded by the mark's character.
    func marked(_ name: String) -> String { "\(kind.character) \(named(name))" }

    /// The mark in words, for a tooltip.
    var tooltip: String { ([kind.title] + details).joined(separator: "; ") }
}

extension GraphMark? {
    /// Returns the name as pictures show it, preceded by the mark's character if there is a mark.
    func marked(_ name: String) -> String { map { $0.marked(name) } ?? name }
}

extension GraphRelationship {
    /// The mark of the line as a whole: that of its ends if they agree.
    var markKind: GraphMark.Kind? {
        let kinds = Set([forward.mark?.kind, inverse?.mark?.kind].compactMap { $0 })
        return kinds.count > 1 ? .changed : kinds.first
    }
}
