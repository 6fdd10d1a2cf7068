internal import ModelSchema

/// Writes the `@Model` class of an entity.
struct SwiftDataClass {
    let entity: Entity
    let schema: SwiftDataSchema

    /// A stored property.
    private struct Member {
        var name: String
        var type: String
        var defaultValue: String?
        var macro: String?
    }

    var lines: [String] {
        let name = SwiftIdentifier.declared(entity.name)
        let final = schema.parents.contains(entity.name) ? "" : "final "
        let parent = entity.ancestors(in: schema.entities).first.map { ": \(SwiftIdentifier.declared($0.name))" } ?? ""
        var lines = ["@Model", "\(schema.access)\(final)class \(name)\(parent) {"]
        let macros = freestandingMacros(name)
        lines += macros.isEmpty ? [] : macros.map { "    " + $0 } + [""]
        let members = members(of: entity)
        for member in members {
            lines += member.macro.map { ["    " + $0] } ?? []
            let value = member.defaultValue.map { " = \($0)" } ?? ""
            lines.append("    \(schema.access)var \(SwiftIdentifier.declared(member.name)): \(member.type)\(value)")
        }
        if !members.isEmpty { lines.append("") }
        return lines + initializer(members).map { "    " + $0 } + ["}"]
    }

    // MARK: Initializer

    private func initializer(_ members: [Member]) -> [String] {
        let inherited = entity.ancestors(in: schema.entities).reversed().flatMap(self.members)
        let all = inherited + members
        let parameters = all.map { member in
            let value = member.defaultValue ?? (member.type.hasSuffix("?") ? "nil" : nil)
            return "\(SwiftIdentifier.declared(member.name)): \(member.type)\(value.map { " = \($0)" } ?? "")"
        }
        var lines: [String]
        if parameters.count < 2 {
            lines = ["\(schema.access)init(\(parameters.joined()))" + " {"]
        } else {
            lines = ["\(schema.access)init("]
            lines += parameters.enumerated().map { "    \($1)\($0 < parameters.count - 1 ? "," : "")" }
            lines.append(") {")
        }
        for member in members {
            let name = SwiftIdentifier.declared(member.name)
            lines.append("    self.\(name) = \(name)")
        }
        if !entity.ancestors(in: schema.entities).isEmpty {
            let arguments = inherited.map {
                "\(SwiftIdentifier.declared($0.name)): \(SwiftIdentifier.declared($0.name))"
            }
            lines.append("    super.init(\(arguments.joined(separator: ", ")))")
        }
        return lines + ["}"]
    }

    // MARK: Properties

    private func members(of entity: Entity) -> [Member] {
        let unique = Self.singleConstraints(of: entity)
        let attributes = entity.attributes.compactMap { attribute -> Member? in
            guard let type = schema.valueType(of: attribute) else { return nil }
            return Member(
                name: attribute.name, type: type,
                defaultValue: SwiftDataDefault(attribute: attribute, schema: schema).expression,
                macro: macro(of: attribute, isUnique: unique.contains(attribute.name)))
        }
        let relationships = entity.relationships.compactMap { relationship -> Member? in
            guard let destination = relationship.destinationName.flatMap({ schema.entities[$0] }) else { return nil }
            let name = SwiftIdentifier.declared(destination.name)
            let type = (relationship.isToMany ? "[\(name)]" : name) + (relationship.isOptional ? "?" : "")
            return Member(
                name: relationship.name, type: type,
                defaultValue: relationship.isToMany && !relationship.isOptional ? "[]" : nil,
                macro: macro(of: relationship, in: entity, isUnique: unique.contains(relationship.name)))
        }
        return attributes + relationships
    }

    private func macro(of attribute: Attribute, isUnique: Bool) -> String? {
        var arguments: [String] = []
        if isUnique { arguments.append(".unique") }
        if attribute.isTransient { arguments.append(".ephemeral") }
        if attribute.allowsExternalBinaryStorage { arguments.append(".externalStorage") }
        if attribute.allowsCloudEncryption { arguments.append(".allowsCloudEncryption") }
        if attribute.isPreservedAfterDeletion { arguments.append(".preserveValueOnDeletion") }
        if attribute.isIndexedBySpotlight { arguments.append(".spotlight") }
        if attribute.type == .transformable {
            let transformer = attribute.valueTransformerName ?? Self.defaultTransformer
            arguments.append(".transformable(by: \(SwiftIdentifier.stringLiteral(transformer)))")
        }
        arguments +=
            names(renamed: attribute.renamingIdentifier, from: attribute.name).map { ["originalName: \($0)"] } ?? []
        arguments += attribute.versionHashModifier.map { ["hashModifier: \(SwiftIdentifier.stringLiteral($0))"] } ?? []
        return arguments.isEmpty ? nil : "@Attribute(\(arguments.joined(separator: ", ")))"
    }

    /// The transformer of attributes that do not name one.
    static let defaultTransformer = "NSSecureUnarchiveFromData"

    /// Returns the macro of a relationship. Every relationship has one: without a macro at both ends, SwiftData would
    /// infer inverses that the model does not have.
    private func macro(of relationship: Relationship, in entity: Entity, isUnique: Bool) -> String {
        var arguments: [String] = isUnique ? [".unique"] : []
        arguments.append("deleteRule: .\(rule(relationship.deleteRule ?? .nullify))")
        let minimum = relationship.compiledMinimumCount
        if minimum != 0 { arguments.append("minimumModelCount: \(minimum)") }
        let maximum = relationship.compiledMaximumCount
        if maximum != (relationship.isToMany ? 0 : 1) { arguments.append("maximumModelCount: \(maximum)") }
        arguments +=
            names(renamed: relationship.renamingIdentifier, from: relationship.name).map { ["originalName: \($0)"] }
            ?? []
        if let inverse = schema.inverse(of: relationship, in: entity),
            schema.namesInverse(relationship, in: entity, inverse)
        {
            let path =
                "\(SwiftIdentifier.declared(inverse.entity)).\(SwiftIdentifier.declared(inverse.relationship.name))"
            arguments.append("inverse: \\\(path)")
        }
        arguments +=
            relationship.versionHashModifier.map { ["hashModifier: \(SwiftIdentifier.stringLiteral($0))"] } ?? []
        return "@Relationship(\(arguments.joined(separator: ", ")))"
    }

    private func names(renamed identifier: String?, from name: String) -> String? {
        guard let identifier, !identifier.isEmpty, identifier != name else { return nil }
        return SwiftIdentifier.stringLiteral(identifier)
    }

    private func rule(_ rule: DeleteRule) -> String {
        switch rule {
        case .noAction: "noAction"
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }

    // MARK: Constraints and indexes

    /// Returns the properties of an entity that a uniqueness constraint makes unique without any other property.
    static func singleConstraints(of entity: Entity) -> Set<String> {
        let own = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        return Set(
            entity.uniquenessConstraints.filter { $0.properties.count == 1 }.flatMap(\.properties).map(\.name)
                .filter(own.contains))
    }

    private func freestandingMacros(_ name: String) -> [String] {
        var macros: [String] = []
        let single = Self.singleConstraints(of: entity)
        let stored = storedNames
        let tuples = entity.uniquenessConstraints.map { $0.properties.map(\.name) }.filter { names in
            !(names.count == 1 && names.allSatisfy(single.contains)) && !names.isEmpty
                && names.allSatisfy(stored.contains)
        }
        if !tuples.isEmpty { macros.append("#Unique<\(name)>(\(tuples.map(paths).joined(separator: ", ")))") }
        let indexes = SwiftDataIndex.indexes(of: entity, stored: stored).map { index in
            index.isRTree ? ".rtree(\(paths(index.names)))" : paths(index.names)
        }
        if !indexes.isEmpty { macros.append("#Index<\(name)>(\(indexes.joined(separator: ", ")))") }
        return macros
    }

    /// The names of the properties that the class and its superclasses have.
    private var storedNames: Set<String> {
        Set(([entity] + entity.ancestors(in: schema.entities)).flatMap(members).map(\.name))
    }

    private func paths(_ names: [String]) -> String {
        "[\(names.map { "\\.\(SwiftIdentifier.declared($0))" }.joined(separator: ", "))]"
    }
}

/// An index of the macro `#Index`.
struct SwiftDataIndex: Hashable {
    var names: [String]
    var isRTree: Bool

    /// Returns the indexes of an entity that SwiftData can express, each once.
    static func indexes(of entity: Entity, stored: Set<String>) -> [SwiftDataIndex] {
        var found: [SwiftDataIndex] = []
        let plain =
            entity.attributes.filter(\.isIndexed).map { [$0.name] }
            + entity.compoundIndexes.map { $0.propertyNames.map(\.name) }
        let fetch = entity.fetchIndexes.filter(isExpressible).map { index in
            SwiftDataIndex(
                names: index.elements.compactMap(\.propertyName),
                isRTree: index.elements.contains { $0.type?.lowercased() == "rtree" })
        }
        for index in plain.map({ SwiftDataIndex(names: $0, isRTree: false) }) + fetch
        where !index.names.isEmpty && index.names.allSatisfy(stored.contains) && !found.contains(index) {
            found.append(index)
        }
        return found
    }

    /// Returns whether an index consists of ascending properties of one index type.
    static func isExpressible(_ index: FetchIndex) -> Bool {
        (index.partialIndexPredicate ?? "").isEmpty
            && Set(index.elements.map { $0.type?.lowercased() ?? "binary" }).count <= 1
            && index.elements.allSatisfy { $0.isAscending && $0.propertyName != nil && ($0.expression ?? "").isEmpty }
    }
}
