internal import Diagnostics

/// Finds composite types that have no unambiguous elements, and attributes whose composite type cannot be expanded.
struct CompositeCheck {
    /// The maximum number of plain attributes that a composite attribute may be expanded to, and that all of a model
    /// may: types that contain each other several times could expand to any number.
    static let elementLimits = (attribute: 10_000, model: 100_000)

    private let lookup: PropertyLookup

    /// The plain attributes that a composite type expands to.
    private enum Expansion {
        /// Their number, up to one more than the limit, and the number of types that are nested in each other.
        case elements(Int, height: Int)
        /// A type in it is missing or contains itself, which is reported where it is named.
        case broken
        /// Types are nested too deeply.
        case tooDeep
    }

    private var expansions: [String: Expansion] = [:]

    init(_ lookup: PropertyLookup) {
        self.lookup = lookup
    }

    func findings() -> [ModelFinding] {
        var check = self
        return check.run()
    }

    private mutating func run() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        var names: Set<String> = []
        for type in lookup.model.composites {
            if type.name.isEmpty {
                findings.append(StructuralProblem.unnamed("a composite type").finding(at: type.origin))
            } else if !names.insert(type.name).inserted {
                findings.append(
                    StructuralProblem.duplicate(
                        "the model has a second composite type “\(type.name)”", kind: "composite types"
                    ).finding(at: type.origin, attribute: "name"))
            }
            var elements: Set<String> = []
            for element in type.attributes {
                if element.name.isEmpty {
                    findings.append(
                        StructuralProblem.unnamed("an element of the composite type “\(type.name)”").finding(
                            at: element.origin))
                } else if !elements.insert(element.name).inserted {
                    findings.append(
                        StructuralProblem.duplicate(
                            "the composite type “\(type.name)” has a second element “\(element.name)”",
                            kind: "elements"
                        ).finding(at: element.origin, attribute: "name"))
                }
                findings += element.typeFindings(in: type.name)
                if element.type == .composite, let problem = problem(with: element) {
                    findings.append(finding(problem, element, in: type.name))
                }
            }
        }
        var total = 0
        for entity in lookup.model.entities {
            for attribute in entity.attributes where attribute.type == .composite {
                if let problem = problem(with: attribute) {
                    findings.append(finding(problem, attribute, in: entity.name))
                    continue
                }
                guard total <= Self.elementLimits.model else { continue }
                if case .elements(let count, _) = expansion(of: attribute.compositeName ?? "") { total += count }
                guard total > Self.elementLimits.model else { continue }
                findings.append(
                    finding(
                        "makes the model have more than \(Self.elementLimits.model) elements of composite attributes",
                        attribute, in: entity.name))
            }
        }
        return findings
    }

    private func finding(_ problem: String, _ attribute: Attribute, in owner: String) -> ModelFinding {
        let name = attribute.compositeName ?? ""
        return ModelFinding(
            .error, rule: .unknownComposite,
            name.isEmpty
                ? "“\(owner).\(attribute.name)” has no composite type"
                : "the composite type “\(name)” of “\(owner).\(attribute.name)” \(problem)",
            at: attribute.origin, attribute: "composite",
            why: "A composite attribute is stored as the elements of its type.",
            help: "Choose another composite type (Attribute ▸ Data Model inspector ▸ Composite Type).")
    }

    /// Returns what is wrong with the type of a composite attribute. A type that contains another one that is wrong is
    /// not reported: the other one's element is.
    private mutating func problem(with attribute: Attribute) -> String? {
        let name = attribute.compositeName ?? ""
        guard lookup.compositesByName[name] != nil else { return "is not in the model" }
        if contains(name, itself: name) { return "contains itself" }
        switch expansion(of: name) {
        case .elements(let count, _) where count > Self.elementLimits.attribute:
            return "has more than \(Self.elementLimits.attribute) elements"
        case .tooDeep: return "nests composite types more than \(Attribute.maximumCompositeDepth) deep"
        case .elements, .broken: return nil
        }
    }

    private func contains(_ name: String, itself start: String) -> Bool {
        var waiting = [name]
        var seen: Set<String> = []
        while let next = waiting.popLast() {
            for element in lookup.compositesByName[next]?.attributes ?? [] where element.type == .composite {
                guard let inner = element.compositeName else { continue }
                if inner == start { return true }
                if seen.insert(inner).inserted { waiting.append(inner) }
            }
        }
        return false
    }

    private mutating func expansion(of name: String, depth: Int = 0) -> Expansion {
        if let cached = expansions[name] { return cached }
        guard let type = lookup.compositesByName[name] else { return .broken }
        // Far more than the limit, so that the height of every acceptable type is exact, and far less than the stack
        // holds.
        guard depth < 500 else { return .tooDeep }
        // While it is being computed, a type that contains itself is broken.
        expansions[name] = .broken
        var result = Expansion.elements(0, height: 1)
        for element in type.attributes {
            let inner =
                element.type == .composite
                ? expansion(of: element.compositeName ?? "", depth: depth + 1) : .elements(1, height: 0)
            switch (result, inner) {
            case (.elements(let sum, let height), .elements(let count, let innerHeight)):
                result = .elements(
                    min(sum + count, Self.elementLimits.attribute + 1), height: max(height, innerHeight + 1))
            case (.tooDeep, _), (_, .tooDeep): result = .tooDeep
            case (.broken, _), (_, .broken): result = .broken
            }
        }
        if case .elements(_, let height) = result, height > Attribute.maximumCompositeDepth { result = .tooDeep }
        expansions[name] = result
        return result
    }
}
