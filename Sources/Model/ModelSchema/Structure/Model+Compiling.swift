internal import Diagnostics
internal import PredicateSyntax

/// The derivation of an attribute.
struct ParsedDerivation {
    var entity: Entity
    var attribute: Attribute
    var text: String
    var result: Result<Expression, PredicateSyntaxError>

    /// The expression, or `nil` if it cannot be parsed.
    var expression: Expression? { try? result.get() }
}

extension Model {
    /// Returns the derivations of all attributes, parsed.
    func parsedDerivations() -> [ParsedDerivation] {
        entities.flatMap { entity in
            entity.attributes.filter(\.isDerived).compactMap { attribute -> ParsedDerivation? in
                guard let text = attribute.derivationExpression, !text.isEmpty else { return nil }
                let result: Result<Expression, PredicateSyntaxError>
                do throws(PredicateSyntaxError) {
                    result = .success(try PredicateParser.parseExpression(text))
                } catch {
                    result = .failure(error)
                }
                return ParsedDerivation(entity: entity, attribute: attribute, text: text, result: result)
            }
        }
    }

    /// Returns the errors about parts with the same name, only one of which a compiled model could hold, and about
    /// parts without a name.
    func nameFindings() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        func check(
            _ parts: [(name: String, origin: ElementOrigin?)], unnamed: String, kind: String,
            second: (String) -> String
        ) {
            var names: Set<String> = []
            for part in parts {
                if part.name.isEmpty {
                    findings.append(StructuralProblem.unnamed(unnamed).finding(at: part.origin))
                } else if !names.insert(part.name).inserted {
                    findings.append(
                        StructuralProblem.duplicate(second(part.name), kind: kind).finding(
                            at: part.origin, attribute: "name"))
                }
            }
        }
        check(fetchRequests.map { ($0.name, $0.origin) }, unnamed: "a fetch request", kind: "fetch requests") {
            "the model has a second fetch request “\($0)”"
        }
        check(configurations.map { ($0.name, $0.origin) }, unnamed: "a configuration", kind: "configurations") {
            "the model has a second configuration “\($0)”"
        }
        for entity in entities where !entity.fetchIndexes.isEmpty {
            check(
                entity.fetchIndexes.map { ($0.name, $0.origin) }, unnamed: "a fetch index of “\(entity.name)”",
                kind: "the indexes of a table"
            ) { "“\(entity.name)” has a second fetch index “\($0)”" }
        }
        return findings
    }

    /// Returns the errors in predicates and derivations that no archive can hold.
    func predicateFindings(_ derivations: [ParsedDerivation]) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for location in PredicateLocation.all(in: self) {
            func report(_ rule: RuleID, _ message: String, help: String) {
                findings.append(
                    ModelFinding(
                        .error, rule: rule, message, at: location.origin, attribute: location.attribute,
                        why: "The model cannot be compiled.", help: help))
            }
            do throws(PredicateSyntaxError) {
                let predicate = try PredicateParser.parsePredicate(location.text)
                if let placeholder = predicate.placeholders.first {
                    report(
                        .invalidPredicate,
                        "the predicate of \(location.name) has the placeholder \(placeholder.spelling), which has no value",
                        help: "Write a value or a variable such as $NAME in its place.")
                } else if let part = predicate.firstUncompilablePart {
                    report(
                        .unsupportedPredicate, "\(part) in the predicate of \(location.name) cannot be compiled",
                        help: "Rewrite the predicate, or set it in code.")
                }
            } catch {
                report(
                    .invalidPredicate,
                    "the predicate of \(location.name) cannot be read: \(error.message), at character \(error.column)",
                    help: "Correct the predicate.")
            }
        }
        for derivation in derivations {
            guard let part = derivation.expression?.firstUncompilablePart else { continue }
            let name = "\(derivation.entity.name).\(derivation.attribute.name)"
            findings.append(
                ModelFinding(
                    .error, rule: .unsupportedPredicate, "\(part) in the derivation of “\(name)” cannot be compiled",
                    at: derivation.attribute.origin, attribute: "derivationExpression",
                    why: "The model cannot be compiled.", help: "Rewrite the derivation, or set the value in code."))
        }
        return findings
    }

    /// Returns the findings about counts that contradict each other, limits that are not compiled as written, and
    /// `userInfo` entries that are lost.
    func valueFindings() -> [ModelFinding] {
        var findings: [ModelFinding] = []
        for entity in entities {
            findings += Self.lostEntries(entity.userInfo, of: "“\(entity.name)”")
            for attribute in entity.attributes {
                findings += Self.lostEntries(attribute.userInfo, of: "“\(entity.name).\(attribute.name)”")
                findings += attribute.limitFindings(in: entity.name)
            }
            for relationship in entity.relationships {
                findings += Self.lostEntries(relationship.userInfo, of: "“\(entity.name).\(relationship.name)”")
                findings += relationship.countFindings(in: entity.name)
            }
            for fetched in entity.fetchedProperties {
                findings += Self.lostEntries(fetched.userInfo, of: "“\(entity.name).\(fetched.name)”")
            }
        }
        return findings
    }

    private static func lostEntries(_ userInfo: [UserInfoEntry], of owner: String) -> [ModelFinding] {
        guard userInfo.count > 1 else { return [] }
        var keys: Set<String> = []
        return userInfo.filter { !keys.insert($0.key).inserted }.map { entry in
            ModelFinding(
                .warning, rule: .duplicateName, "the user info of \(owner) has a second entry “\(entry.key)”",
                at: entry.origin, attribute: "key",
                why: "A dictionary has one value for each key; the others are lost.",
                help: "Rename or remove one of them.")
        }
    }
}

extension ParsedDerivation {
    /// The error, which leaves the entity without a version hash; `nil` if the derivation can be parsed.
    var finding: ModelFinding? {
        guard case .failure(let error) = result else { return nil }
        return .invalidDerivation(text, of: attribute, in: entity.name, error.message, column: error.column)
    }
}

extension ModelFinding {
    /// The error about a derivation that cannot be parsed.
    package static func invalidDerivation(
        _ text: String, of attribute: Attribute, in owner: String, _ reason: String, column: Int
    ) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidDerivation,
            "the derivation “\(text)” of “\(owner).\(attribute.name)” cannot be read: \(reason), at character \(column)",
            at: attribute.origin, attribute: "derivationExpression",
            why: "The model cannot be compiled, and the entity has no version hash.", help: "Correct the expression.")
    }
}

extension Relationship {
    /// Returns the error about a maximum count that contradicts the flag To Many.
    ///
    /// A compiled model has no flag: Core Data treats a relationship with a maximum count of 1 as to-one and any other
    /// as to-many, while Xcode's code follows the flag. Models that are built in code have -1 for no limit, which
    /// another tool also writes without the flag: only a warning, because nothing shows that Apple's compiler rejects
    /// it.
    fileprivate func countFindings(in entity: String) -> [ModelFinding] {
        guard let maximumCount, isToMany == (maximumCount == 1) else { return [] }
        var finding = ModelFinding(
            maximumCount < 0 ? .warning : .error, rule: .toManyCount,
            isToMany
                ? "“\(entity).\(name)” is to-many but has a maximum count of 1"
                : "“\(entity).\(name)” is to-one but has a maximum count of \(maximumCount)",
            at: origin, attribute: "maxCount",
            why:
                "A compiled model has only the count, so the relationship would be \(isToMany ? "to-one" : "to-many") in "
                + "the app and \(isToMany ? "to-many" : "to-one") in its code.",
            help: isToMany
                ? "Choose To One as the type, or raise the maximum."
                : "Choose To Many as the type, or set the maximum to 1.")
        finding.inspectorField = "Type"
        return [finding]
    }
}

extension Attribute {
    /// Returns the warnings about limits that are not compiled as written.
    fileprivate func limitFindings(in entity: String) -> [ModelFinding] {
        let isDate = type == .date
        let limits = isDate ? (minimumDateInterval, maximumDateInterval) : (minimum, maximum)
        let names = isDate ? ("minDateTimeInterval", "maxDateTimeInterval") : ("minValueString", "maxValueString")
        return [(limits.0, names.0), (limits.1, names.1)].compactMap { text, xmlName in
            guard let text, !text.isEmpty, let compiled = misreadLimit(text) else { return nil }
            var finding = ModelFinding(
                .warning, rule: .malformedValue,
                "the limit “\(text)” of “\(entity).\(name)” is not a valid \(type == .string ? "length" : type.xmlValue) "
                    + "and is compiled as \(compiled)",
                at: origin, attribute: xmlName, why: "The limit that the app checks differs from the one in the model.",
                help: "Correct the limit.")
            finding.inspectorField = "Validation"
            return finding
        }
    }

    /// Returns how a limit is compiled that cannot be compiled as written; `nil` for all others. Fractions of decimal
    /// limits are truncated, as Apple's compiler does.
    private func misreadLimit(_ text: String) -> String? {
        switch type {
        case .integer16, .integer32, .integer64, .string:
            let number = NumberText.parseInteger(text)
            return number.isExact ? nil : String(number.value)
        case .decimal:
            return DecimalText.parse(text)?.isExact == true ? nil : String(NumberText.integer(text))
        case .double, .float, .date:
            let number = NumberText.parseReal(text)
            return number.isExact ? nil : NumberText.text(of: number.value)
        default: return nil
        }
    }
}
