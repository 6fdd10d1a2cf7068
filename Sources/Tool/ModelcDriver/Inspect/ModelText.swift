internal import Diagnostics
internal import ModelSchema

/// A model as human-readable text: a line for each entity and property, with its non-default settings in words.
struct ModelText {
    private let hashes: EntityVersionHashes

    /// Creates a printer that adds these hashes to the entities.
    init(hashes: EntityVersionHashes) {
        self.hashes = hashes
    }

    /// Returns the text of a model, ending in a line feed; empty for an empty model.
    func text(_ model: Model) -> String {
        var lines: [String] = []
        for entity in model.entities { lines += self.lines(entity) }
        for request in model.fetchRequests {
            lines.append("fetch request \(request.name): \(phrase(request))")
        }
        for configuration in model.configurations {
            let members = configuration.members.map(\.entityName).joined(separator: ", ")
            lines.append("configuration \(configuration.name): \(members)")
        }
        for composite in model.composites {
            lines.append("composite \(composite.name)")
            lines += table(composite.attributes.map(row))
        }
        // A name may contain a line feed, which must not start a new line.
        return lines.map { DisplayText.line($0) + "\n" }.joined()
    }

    private func lines(_ entity: Entity) -> [String] {
        var head = "entity \(entity.name)"
        if let parent = entity.parentName { head += ": \(parent)" }
        var words: [String] = []
        if entity.isAbstract { words.append("abstract") }
        if !entity.className.text.isEmpty, entity.className.text != entity.name {
            words.append("class \(entity.className.text)")
        }
        if let identifier = entity.renamingIdentifier { words.append("renamed from \(identifier)") }
        if let modifier = entity.versionHashModifier { words.append("hash modifier \(modifier)") }
        if !words.isEmpty { head += " (\(words.joined(separator: ", ")))" }
        if let hash = hashes[entity.name] { head += "  \(hash.hexString.prefix(12))" }
        var lines = [head]
        lines += table(entity.attributes.map(row) + entity.relationships.map(row) + entity.fetchedProperties.map(row))
        for index in entity.fetchIndexes {
            let columns = index.elements.map { element in
                (element.propertyName ?? element.expression ?? "?") + (element.isAscending ? "" : " descending")
                    + (element.type == "RTree" ? " in an R-tree" : "")
            }
            let condition = index.partialIndexPredicate.map { $0.isEmpty ? "" : " where \($0)" } ?? ""
            lines.append("  index \(index.name): \(columns.joined(separator: ", "))\(condition)")
        }
        for index in entity.compoundIndexes {
            lines.append("  index: \(index.properties.map(\.name).joined(separator: ", "))")
        }
        for constraint in entity.uniquenessConstraints {
            lines.append("  unique: \(constraint.properties.map(\.name).joined(separator: ", "))")
        }
        return lines + entity.userInfo.map { "  info \($0.key): \($0.value)" }
    }

    private func row(_ attribute: Attribute) -> [String] {
        var words = attribute.isOptional ? ["optional"] : []
        if attribute.isTransient { words.append("transient") }
        if let expression = attribute.derivationExpression { words.append("derived from \(expression)") }
        if let value = attribute.defaultDateInterval ?? attribute.defaultValue {
            words.append("default \(quoted(value))")
        }
        if let minimum = attribute.minimumDateInterval ?? attribute.minimum { words.append("at least \(minimum)") }
        if let maximum = attribute.maximumDateInterval ?? attribute.maximum { words.append("at most \(maximum)") }
        if let pattern = attribute.regularExpression { words.append("matching \(quoted(pattern))") }
        if let name = attribute.customClassName { words.append("class \(name)") }
        if let name = attribute.valueTransformerName, !name.isEmpty { words.append("transformer \(name)") }
        if attribute.allowsExternalBinaryStorage { words.append("external storage") }
        if attribute.allowsCloudEncryption { words.append("encrypted in the cloud") }
        if attribute.isPreservedAfterDeletion { words.append("preserved after deletion") }
        if attribute.isIndexed { words.append("indexed") }
        words += common(attribute.renamingIdentifier, attribute.versionHashModifier)
        let type = attribute.unknownType ?? attribute.compositeName ?? attribute.type.xmlValue
        return [attribute.name, type, words.joined(separator: ", ")]
    }

    private func row(_ relationship: Relationship) -> [String] {
        var words = [relationship.isToMany ? "to-many" : "to-one"]
        if relationship.isToMany, relationship.isOrdered { words.append("ordered") }
        if relationship.isOptional { words.append("optional") }
        if relationship.isTransient { words.append("transient") }
        words.append(relationship.inverseName.map { "inverse \($0)" } ?? "no inverse")
        if let rule = relationship.deleteRule { words.append(rule.xmlValue) }
        if let count = relationship.minimumCount, count > 0 { words.append("at least \(count)") }
        if let count = relationship.maximumCount, count > 0, relationship.isToMany { words.append("at most \(count)") }
        words += common(relationship.renamingIdentifier, relationship.versionHashModifier)
        return [relationship.name, "→ \(relationship.destinationName ?? "nothing")", words.joined(separator: ", ")]
    }

    private func row(_ property: FetchedProperty) -> [String] {
        [property.name, "fetched", property.fetchRequest.map(phrase) ?? ""]
    }

    private func common(_ renamingIdentifier: String?, _ modifier: String?) -> [String] {
        [renamingIdentifier.map { "renamed from \($0)" }, modifier.map { "hash modifier \($0)" }].compactMap { $0 }
    }

    private func phrase(_ request: FetchRequestTemplate) -> String {
        (request.entityName ?? "nothing") + (request.predicate.map { " where \($0)" } ?? "")
    }

    private func quoted(_ text: String) -> String { "“\(text)”" }

    /// Returns rows with aligned columns, indented.
    private func table(_ rows: [[String]]) -> [String] {
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = "  "
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            line += row.last ?? ""
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
