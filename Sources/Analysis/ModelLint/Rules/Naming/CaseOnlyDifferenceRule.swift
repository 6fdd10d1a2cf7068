internal import Diagnostics
internal import ModelSchema

/// Reports names that differ only in case.
struct CaseOnlyDifferenceRule: LintRule {
    let description = RuleDescription(
        id: .caseOnlyDifference, code: "MC6005", group: "naming",
        title: "two names differ only in case",
        explanation: """
            Core Data uppercases the names of tables and columns, and generated files land on case-insensitive file \
            systems. Two entities, or two properties of an entity, whose names differ only in case collide there.
            """,
        remedy: "Rename one of them.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        var entityNames = CaseInsensitiveNames()
        for entity in context.entities {
            if let other = entityNames.insert(entity.name, entity.origin).other {
                report(
                    finding(
                        "the entity “\(entity.name)”", origin: entity.origin, other: "“\(other.name)”",
                        otherOrigin: other.origin))
            }
        }
        let parents = Set(context.entities.compactMap(\.parentName))
        for entity in context.entities where entity.parentName == nil && !parents.contains(entity.name) {
            var names = CaseInsensitiveNames()
            compareProperties(of: entity, &names, report)
        }
        compareHierarchies(context, report)
    }

    /// Walks down from the roots of hierarchies with the inherited names, so that the cost of a deep hierarchy is
    /// linear in the number of its properties.
    private func compareHierarchies(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        enum Step {
            case enter(Entity)
            case leave([CaseInsensitiveNames.Insertion])
        }
        var names = CaseInsensitiveNames()
        var steps: [Step] = context.entities
            .filter { $0.parentName.map { context.entitiesByName[$0] == nil } ?? (context.childNames[$0.name] != nil) }
            .map { .enter($0) }
        var entered: Set<String> = []
        while let step = steps.popLast() {
            switch step {
            case .leave(let insertions): for insertion in insertions.reversed() { names.undo(insertion) }
            case .enter(let entity):
                guard entered.insert(entity.name).inserted else { continue }
                steps.append(.leave(compareProperties(of: entity, &names, report)))
                let children = (context.childNames[entity.name] ?? []).compactMap { context.entitiesByName[$0] }
                steps += children.map { .enter($0) }
            }
        }
    }

    @discardableResult
    private func compareProperties(
        of entity: Entity, _ names: inout CaseInsensitiveNames, _ report: (RuleFinding) -> Void
    ) -> [CaseInsensitiveNames.Insertion] {
        entity.propertyNames.map { name, origin in
            let insertion = names.insert(name, origin)
            if let other = insertion.other {
                report(
                    finding(
                        "the property “\(entity.name).\(name)”", origin: origin,
                        other: "“\(entity.name).\(other.name)”", otherOrigin: other.origin)
                )
            }
            return insertion
        }
    }

    private func finding(
        _ subject: String, origin: ElementOrigin?, other: String, otherOrigin: ElementOrigin?
    ) -> RuleFinding {
        var finding = RuleFinding(
            "\(subject) differs from \(other) only in case", at: origin, attribute: "name", inspectorField: "Name",
            why: "Table, column and file names do not distinguish case.", help: "Rename one of them.")
        finding.related = [("the other declaration is here", otherOrigin, "name")]
        return finding
    }
}

/// The names seen so far, compared case-insensitively. Keyed by hash: nearly all names differ, and comparing integers
/// is faster than making lowercase copies.
private struct CaseInsensitiveNames {
    typealias Name = (name: String, origin: ElementOrigin?)

    /// A change, which can be undone.
    struct Insertion {
        fileprivate var key: UInt64
        fileprivate var previous: Name?
        /// A name that differs from the new one only in case.
        var other: Name?
    }

    private var names: [UInt64: Name] = [:]

    mutating func insert(_ name: String, _ origin: ElementOrigin?) -> Insertion {
        let key = Self.key(name)
        let previous = names.updateValue((name, origin), forKey: key)
        var insertion = Insertion(key: key, previous: previous)
        if let previous, previous.name != name, previous.name.lowercased() == name.lowercased() {
            insertion.other = previous
        }
        return insertion
    }

    /// Restores the state before an insertion.
    mutating func undo(_ insertion: Insertion) { names[insertion.key] = insertion.previous }

    /// Returns a hash that is equal for names that differ only in case.
    private static func key(_ name: String) -> UInt64 { StableHash.of(name.lowercased().utf8) }
}
