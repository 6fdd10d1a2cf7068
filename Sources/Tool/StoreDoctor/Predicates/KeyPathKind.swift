internal import CoreData
internal import Diagnostics

/// Follows key paths through the runtime's model.
package enum KeyPathKind {
    /// An error in a key path.
    package struct Failure: Error {
        /// The invalid key.
        package var key: String
        /// The problem.
        package var message: String
        /// What to do about it.
        package var help: String?
    }

    /// The collection operators that are followed by a key.
    private static let aggregates: Set = ["@sum", "@avg", "@min", "@max"]

    /// Returns the kind of value at the end of a key path.
    package static func follow(_ keys: [String], from start: ValueKind) throws(Failure) -> ValueKind {
        var kind = start
        var rest = keys[...]
        while let key = rest.popFirst() {
            switch kind {
            case .object(let entity): kind = try property(key, of: entity)
            case .collection(.object(let entity)) where !key.hasPrefix("@"):
                guard case let inner = try property(key, of: entity), !inner.isCollection else {
                    throw Failure(
                        key: key, message: "“\(key)” follows another to-many relationship",
                        help: "Use SUBQUERY for the first one.")
                }
                kind = .collection(inner)
            case .collection(let element):
                kind = try aggregate(key, &rest, of: element)
            case .composite(let composite):
                guard let element = composite.elements.first(where: { $0.name == key }),
                    let inner = ValueKind(element)
                else {
                    throw Failure(
                        key: key, message: "“\(composite.name)” has no element “\(key)”",
                        help: "Its elements are \(composite.elements.map(\.name).joined(separator: ", ")).")
                }
                kind = inner
            default: throw Failure(key: key, message: "“\(key)” follows \(kind.name)")
            }
        }
        return kind
    }

    private static func aggregate(
        _ key: String, _ rest: inout ArraySlice<String>, of element: ValueKind
    ) throws(Failure) -> ValueKind {
        if key == "@count" {
            guard rest.isEmpty else { throw Failure(key: key, message: "a key follows “@count”") }
            return .number
        }
        guard aggregates.contains(key) else {
            throw Failure(
                key: key, message: "unsupported collection operator “\(key)”",
                help: "Supported operators are @count, @sum, @avg, @min and @max.")
        }
        guard !rest.isEmpty else { throw Failure(key: key, message: "“\(key)” needs a key after it") }
        let value = try follow(Array(rest), from: element)
        rest = []
        guard value == .number || value.isOrdered && value != .null && (key == "@min" || key == "@max") else {
            throw Failure(key: key, message: "“\(key)” needs numbers")
        }
        return value
    }

    private static func property(_ key: String, of entity: NSEntityDescription) throws(Failure) -> ValueKind {
        if key == "self" || key == "SELF" || key == "objectID" { return .object(entity) }
        guard let property = entity.propertiesByName[key] else {
            let names = entity.propertiesByName.keys.sorted()
            let lower = key.lowercased()
            let close =
                names.first { $0.lowercased() == lower || $0.lowercased().hasPrefix(lower) }
                ?? EditDistance.closest(to: key, among: names)
            throw Failure(
                key: key, message: "“\(entity.name ?? "")” has no property “\(key)”",
                help: close.map { "Did you mean “\($0)”?" })
        }
        guard !property.isTransient else {
            throw Failure(key: key, message: "“\(key)” is transient: the store lacks it")
        }
        if let attribute = property as? NSAttributeDescription {
            guard let kind = ValueKind(attribute) else {
                throw Failure(key: key, message: "values of “\(key)” cannot be compared: its type is unknown")
            }
            return kind
        }
        guard let relationship = property as? NSRelationshipDescription,
            let destination = relationship.destinationEntity
        else { throw Failure(key: key, message: "fetched properties such as “\(key)” cannot be searched") }
        return relationship.isToMany ? .collection(.object(destination)) : .object(destination)
    }
}

extension ValueKind {
    /// Whether the kind is a collection.
    package var isCollection: Bool { if case .collection = self { true } else { false } }
}
