internal import ModelSchema
internal import PredicateSyntax

/// A function for a fetch request template of the model.
struct FetchMethod {
    /// A variable of the template's predicate.
    struct Variable {
        /// The name, without the dollar sign.
        var name: String
        /// The type of the parameter.
        var type: String
    }

    var name: String
    var template: FetchRequestTemplate
    /// The variables of the predicate, in the order of their first use.
    var variables: [Variable]
    var resultType: String

    /// Creates the function of a template; `nil` if the template's name has no letter or digit.
    ///
    /// A variable has the type of the attribute that it is compared with, as in SwiftGen and mogenerator, or else
    /// `Any`. A predicate that cannot be parsed has no variables here; lint reports it.
    init?(_ template: FetchRequestTemplate, className: String, attributeType: (_ keys: [String]) -> String?) {
        let words = template.name.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        guard !name.isEmpty, SwiftIdentifier.isValid("fetch\(name)") else { return nil }
        self.name = "fetch\(name)"
        self.template = template
        resultType =
            switch template.resultType {
            case 1: "[NSManagedObjectID]"
            case 2: "[[String: Any]]"
            default: "[\(className)]"
            }
        variables = []
        guard let text = template.predicate, let predicate = try? PredicateParser.parsePredicate(text) else { return }
        var types: [String: Set<String>] = [:]
        predicate.visitPredicates { part in
            guard case .comparison(let comparison) = part else { return }
            for (variable, other) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
                guard case .variable(let name) = variable, case .keyPath(let path) = other,
                    path.startsAtEvaluatedObject, let type = attributeType(path.keyPath.keys)
                else { continue }
                switch comparison.comparisonOperator {
                case .in where variable == comparison.right: types[name, default: []].insert("[\(type)]")
                case .between, .contains, .in, .customSelector: types[name, default: []].insert("Any")
                default: types[name, default: []].insert(type)
                }
            }
        }
        variables = predicate.freeVariables.map { name in
            let candidates = types[name] ?? []
            return Variable(name: name, type: candidates.count == 1 ? candidates.first ?? "Any" : "Any")
        }
    }
}

extension Attribute {
    /// The type of values that the attribute is compared with; `nil` for a type that predicates do not compare.
    var comparedType: String? {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .boolean: "Bool"
        case .decimal: "NSDecimalNumber"
        case .string: "String"
        case .date: "Date"
        case .binary: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .transformable, .objectID, .composite, .undefined: nil
        }
    }
}
