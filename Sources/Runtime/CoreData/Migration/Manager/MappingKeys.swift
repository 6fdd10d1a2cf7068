internal import Foundation
internal import PredicateSyntax

/// Finds nonexistent keys, variables and functions in expressions and predicates of mapping models: evaluating them
/// would trap.
enum MappingKeys {
    /// The keys of every object that are not properties.
    private static let objectKeys: Set<String> = [
        "self", "objectID", "entity", "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault",
        "hasChanges",
    ]
    private static let managerKeys: Set<String> = [
        "sourceContext", "destinationContext", "sourceModel", "destinationModel", "mappingModel",
        "currentEntityMapping",
        "migrationProgress", "userInfo",
    ]
    private static let mappingKeys: Set<String> = [
        "name", "mappingType", "sourceEntityName", "sourceEntityVersionHash", "destinationEntityName",
        "destinationEntityVersionHash", "attributeMappings", "relationshipMappings", "sourceExpression", "userInfo",
        "entityMigrationPolicyClassName",
    ]
    private static let propertyMappingKeys: Set<String> = ["name", "valueExpression", "userInfo"]

    /// Returns the problem in the filter of an entity's objects, or `nil`.
    static func problem(in predicate: PredicateSyntax.Predicate, of entity: NSEntityDescription) -> String? {
        if let name = predicate.freeVariables.first { return "the variable $\(name) has no value" }
        var problem: String?
        predicate.visitExpressions { expression in
            problem = problem ?? self.problem(with: expression, source: entity, destination: nil, mappingNames: nil)
        }
        return problem
    }

    /// Returns the problem in an expression of an entity mapping, or `nil`.
    ///
    /// - Parameter mappingNames: The names of the entity mappings.
    static func problem(
        in tree: ExpressionTree, source: NSEntityDescription?, destination: NSEntityDescription?,
        mappingNames: Set<String>
    ) -> String? {
        if tree.syntax.nests(deeperThan: NodeCompiler.maximumDepth) { return "it is nested too deeply" }
        if let name = tree.syntax.freeVariables.first(where: { !MigrationSelectors.variables.contains($0) }) {
            return "there is no variable $\(name); the variables are "
                + MigrationSelectors.variables.sorted().map { "$" + $0 }.joined(separator: ", ")
        }
        var problem: String?
        tree.syntax.visitExpressions { expression in
            if case .constant(.opaque(let reference)) = expression,
                let unreadable = tree.boxes.value(of: reference) as? UnreadableMappingExpression
            {
                problem = problem ?? "it cannot be read: \(unreadable.reason)"
            }
            problem =
                problem
                ?? self.problem(with: expression, source: source, destination: destination, mappingNames: mappingNames)
        }
        return problem
    }

    /// Returns the problem with one expression, ignoring its subexpressions.
    private static func problem(
        with expression: PredicateSyntax.Expression, source: NSEntityDescription?, destination: NSEntityDescription?,
        mappingNames: Set<String>?
    ) -> String? {
        switch expression {
        case .keyPath(let path): return problem(with: path, source: source, destination: destination)
        case .function(let call): return problem(with: call, mappingNames: mappingNames)
        case .anyKey: return "ANYKEY is for Spotlight only"
        case .placeholder(let placeholder, _): return "an argument for \(placeholder.spelling) is missing"
        default: return nil
        }
    }

    private static func problem(
        with path: KeyPathExpression, source: NSEntityDescription?, destination: NSEntityDescription?
    ) -> String? {
        let keys = path.keyPath.keys
        if path.startsAtEvaluatedObject { return source.flatMap { problem(with: keys, of: $0) } }
        guard case .variable(let name) = path.operand, let first = keys.first else { return nil }
        switch name {
        case NSMigrationSourceObjectKey: return source.flatMap { problem(with: keys, of: $0) }
        case NSMigrationDestinationObjectKey: return destination.flatMap { problem(with: keys, of: $0) }
        case NSMigrationManagerKey: return unknown(first, in: managerKeys, "the migration manager")
        case NSMigrationEntityMappingKey: return unknown(first, in: mappingKeys, "an entity mapping")
        case NSMigrationPropertyMappingKey: return unknown(first, in: propertyMappingKeys, "a property mapping")
        default: return nil
        }
    }

    private static func unknown(_ key: String, in known: Set<String>, _ owner: String) -> String? {
        known.contains(key) ? nil : "\(owner) has no property “\(key)”"
    }

    /// Returns the problem with a key path from an object.
    private static func problem(with keys: [String], of entity: NSEntityDescription) -> String? {
        var current = entity
        for key in keys {
            if key.hasPrefix("@") || objectKeys.contains(key) { return nil }
            guard let property = current.propertiesByName[key] else {
                return "the entity “\(current.name ?? "")” has no property “\(key)”"
            }
            guard let target = (property as? NSRelationshipDescription)?.destinationEntity else { return nil }
            current = target
        }
        return nil
    }

    private static func problem(with call: FunctionCall, mappingNames: Set<String>?) -> String? {
        guard let operand = call.operand else {
            if Arithmetic.Operation(selector: call.selector) != nil { return arityProblem(call, 2...2) }
            if call.selector == FunctionCall.elementSelector { return arityProblem(call, 2...2) }
            guard let function = PredefinedFunction.all[call.selector] else {
                return "there is no function “\(call.selector)”"
            }
            return arityProblem(call, function.arity)
        }
        guard case .variable(NSMigrationManagerKey) = operand else { return nil }
        guard MigrationSelectors.all.contains(call.selector) else {
            return "the migration manager has no method “\(call.selector)” that expressions can call"
        }
        if call.selector != MigrationSelectors.fetchRequest,
            call.selector != MigrationSelectors.instancesOfRelationship,
            case .constant(.string(let name))? = call.arguments.first, let mappingNames, !mappingNames.contains(name)
        {
            return "there is no entity mapping “\(name)”"
        }
        return arityProblem(call, 2...2)
    }

    private static func arityProblem(_ call: FunctionCall, _ arity: ClosedRange<Int>) -> String? {
        arity.contains(call.arguments.count)
            ? nil : "the function “\(call.selector)” does not take \(call.arguments.count) arguments"
    }
}
