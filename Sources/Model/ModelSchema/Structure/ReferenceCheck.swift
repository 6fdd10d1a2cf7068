internal import Diagnostics
internal import PredicateSyntax

/// Finds unresolved names in indexes, constraints, derivations, fetch requests and configurations, so that the
/// compiled model could not be loaded, or would have lost them.
struct ReferenceCheck {
    private let lookup: PropertyLookup
    private let derivations: [ParsedDerivation]

    init(_ lookup: PropertyLookup, _ derivations: [ParsedDerivation]) {
        self.lookup = lookup
        self.derivations = derivations
    }

    func findings() -> [ModelFinding] {
        indexFindings() + constraintFindings() + derivationFindings() + entityFindings()
    }

    // MARK: Properties

    private func indexFindings() -> [ModelFinding] {
        IndexMention.all(in: lookup).filter { $0.property == nil }.map { mention in
            ModelFinding(
                .error, rule: .indexOnUnknownProperty,
                "\(mention.index) of “\(mention.entity.name)” names “\(mention.name)”, which does not exist",
                at: mention.origin, attribute: mention.attribute, why: "The model cannot be compiled.",
                help: "Correct the name, or remove it from the index.")
        }
    }

    private func constraintFindings() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for entity in lookup.model.entities {
            for constraint in entity.uniquenessConstraints {
                for mention in constraint.properties where !mention.name.isEmpty {
                    var severity = Severity.error
                    var why = "The model cannot be compiled: Core Data would fail to load the store."
                    let problem: String
                    switch lookup.property(atPath: mention.name, of: entity) {
                    case nil: problem = "which “\(entity.name)” does not have"
                    case .attribute(let attribute) where attribute.isTransient: problem = "which is transient"
                    case .attribute(let attribute) where attribute.isDerived:
                        // Apple does not document what happens, so this is only a warning.
                        problem = "which is derived"
                        severity = .warning
                        why =
                            "Core Data computes the value itself when it saves, so a merge policy cannot resolve a conflict over it."
                    case .relationship(let relationship) where relationship.isToMany:
                        problem = "which is a to-many relationship"
                    case .fetched: problem = "which is a fetched property"
                    case .attribute, .relationship: continue
                    }
                    var finding = ModelFinding(
                        severity, rule: .constraintUnknownAttribute,
                        "a uniqueness constraint of “\(entity.name)” names “\(mention.name)”, \(problem)",
                        at: mention.origin, attribute: "value", why: why,
                        help: "Correct the name, or remove the constraint.")
                    finding.inspectorField = "Constraints"
                    findings.append(finding)
                }
            }
        }
        return findings
    }

    private func derivationFindings() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for derivation in derivations {
            guard let expression = derivation.expression else { continue }
            let (entity, attribute) = (derivation.entity, derivation.attribute)
            for problem in KeyPathCheck(lookup, root: entity, source: nil).problems(in: expression) {
                var finding = ModelFinding(
                    .error, rule: .unknownDerivationKeyPath,
                    "the derivation of “\(entity.name).\(attribute.name)” refers to \(problem)",
                    at: attribute.origin, attribute: "derivationExpression",
                    why: "The model cannot be compiled: Core Data would fail to load the store.",
                    help: "Correct the key path.")
                finding.inspectorField = "Derivation"
                findings.append(finding)
            }
        }
        return findings
    }

    // MARK: Entities

    private func entityFindings() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        func check(_ name: String?, what: String, origin: ElementOrigin?, attribute: String) {
            guard let name, !name.isEmpty, lookup.entitiesByName[name] == nil else { return }
            findings.append(
                ModelFinding(
                    .error, rule: .unknownFetchEntity,
                    "\(what) names the entity “\(name)”, which is not in the model", at: origin, attribute: attribute,
                    why: "The model cannot be compiled.", help: "Choose another entity, or remove it."))
        }
        for request in lookup.model.fetchRequests {
            check(
                request.entityName, what: "the fetch request “\(request.name)”", origin: request.origin,
                attribute: "entity")
        }
        for entity in lookup.model.entities {
            for fetched in entity.fetchedProperties {
                let request = fetched.fetchRequest
                check(
                    request?.entityName, what: "“\(entity.name).\(fetched.name)”", origin: request?.origin,
                    attribute: "entity")
            }
        }
        for configuration in lookup.model.configurations {
            for member in configuration.members {
                check(
                    member.entityName, what: "the configuration “\(configuration.name)”", origin: member.origin,
                    attribute: "name")
            }
        }
        return findings
    }
}

/// A property name in an index.
package struct IndexMention {
    /// The name, which may reach into a composite: `address.city`.
    package var name: String
    /// The property that the name, or its first component, refers to; `nil` if it or an element on the path does not
    /// exist.
    package var property: Property?
    /// The entity that declares the index.
    package var entity: Entity
    /// The name of the index in messages.
    package var index: String
    /// The element that contains the name.
    package var origin: ElementOrigin?
    /// The XML attribute that contains the name.
    package var attribute: String

    /// Returns the mentions in all fetch indexes and compound indexes of a model.
    package static func all(in lookup: PropertyLookup) -> [IndexMention] {
        var result: [IndexMention] = []
        for entity in lookup.model.entities {
            func add(_ name: String, index: String, origin: ElementOrigin?, attribute: String) {
                result.append(
                    IndexMention(
                        name: name, property: lookup.property(atPath: name, of: entity), entity: entity, index: index,
                        origin: origin, attribute: attribute))
            }
            for index in entity.fetchIndexes {
                for element in index.elements {
                    guard let name = element.propertyName, !name.isEmpty else { continue }
                    add(name, index: "the fetch index “\(index.name)”", origin: element.origin, attribute: "property")
                }
            }
            for index in entity.compoundIndexes {
                for (name, mention) in index.propertyNames {
                    add(name, index: "a compound index", origin: mention.origin, attribute: "value")
                }
            }
        }
        return result
    }
}
