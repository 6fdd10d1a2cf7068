internal import Diagnostics
internal import ModelSchema

/// Reports properties of handwritten classes that differ from the model.
struct ClassMismatchRule: LintRule {
    let description = RuleDescription(
        id: .classMismatch, code: "MC8003", group: "sources",
        title: "a handwritten class differs from the model",
        explanation: """
            With the codegen mode Manual/None, nothing keeps the `@NSManaged` properties of a class and the attributes of the \
            entity alike. Core Data makes the accessors at run time: a scalar of another size (“Dynamically generated accessors \
            do not support implicit type coercion”), a class of another type and a property that the entity lacks stop the app \
            when they are used, and a property that is not optional stops it at the first nil, unless its type has an empty \
            value: texts and data read as empty, numbers as 0. Only types of Foundation are checked: enumerations and type \
            aliases are not looked up. Attributes that no source mentions as a variable are \
            reported too. The sources are those of `--sources`, or of an Xcode project that is checked; in a folder that is \
            checked, they are those of the SwiftPM or Xcode target that has the model, or those beside the model if nothing \
            declares targets.
            """,
        remedy: "Change the class or the model, or choose Category/Extension, so that the properties are generated.",
        defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        guard context.isCurrent, let sources = context.sourceClasses else { return }
        let users = Dictionary(grouping: context.entities, by: \.className.name)
        for entity in context.entities where entity.codeGeneration == .manual && entity.className.isCustom {
            let name = entity.className.name
            guard sources.declarations[name] != nil, !sources.repeated.contains(name), users[name]?.count == 1,
                let declared = sources.properties[name],
                !declared.isEmpty
            else { continue }
            for attribute in entity.attributes {
                check(
                    attribute, of: entity, property: declared[attribute.name], sources: sources,
                    isMirrored: context.mirrored != nil, report: report)
            }
            for relationship in entity.relationships {
                check(relationship, of: entity, property: declared[relationship.name], report: report)
            }
            checkNames(entity, declared: declared, context: context, report: report)
        }
    }

    private func check(
        _ attribute: Attribute, of entity: Entity, property: SourceClasses.Property?, sources: SourceClasses,
        isMirrored: Bool, report: (RuleFinding) -> Void
    ) {
        let element = "\(entity.name).\(attribute.name)"
        guard let property else {
            // A parent class, a computed property or Objective-C may have it.
            guard !sources.variables.contains(attribute.name), sources.hasOnlySwift else { return }
            return report(
                RuleFinding(
                    "no source declares the attribute “\(element)”", at: attribute.origin, attribute: "name",
                    why: "It can only be accessed by its key.",
                    help: "Add the property to the class “\(entity.className.name)”."))
        }
        guard let type = property.type, Self.knownTypes.contains(type), let accepted = Self.types(of: attribute.type)
        else { return }
        if !accepted.contains(type) {
            report(
                RuleFinding(
                    "“\(element)” is \(attribute.type.xmlValue) in the model, and \(type) in \(property.location)",
                    at: attribute.origin, attribute: "attributeType", inspectorField: "Type",
                    why:
                        "Core Data's accessors do not convert the value, so the app traps when it accesses the property.",
                    help: "Declare the property as \(accepted.first ?? "another type"), or change the attribute's type."
                ))
        } else if attribute.isOptional, !property.isOptional, !attribute.hasDefault, Self.trapsAtNil(type) {
            report(
                RuleFinding(
                    "“\(element)” is optional in the model, and not in \(property.location)", at: attribute.origin,
                    attribute: "optional", inspectorField: "Optional",
                    why: "The app stops when it reads the property of an object without a value.",
                    // CloudKit needs a default value for a required attribute.
                    help: "Declare the property as \(type)?"
                        + (isMirrored ? "." : ", or make the attribute required.")))
        }
    }

    private func check(
        _ relationship: Relationship, of entity: Entity, property: SourceClasses.Property?,
        report: (RuleFinding) -> Void
    ) {
        guard let property, let type = property.type, type != "NSObject" else { return }
        let isOrdered = Self.orderedTypes.contains(type)
        let isUnordered = Self.unorderedTypes.contains(type)
        let expected: String
        if !relationship.isToMany {
            guard isOrdered || isUnordered else { return }
            expected = "to-one"
        } else if relationship.isOrdered {
            guard !isOrdered else { return }
            expected = "ordered and to-many"
        } else {
            guard !isUnordered else { return }
            expected = "to-many"
        }
        // An alias may stand for anything.
        guard isOrdered || isUnordered || Self.knownTypes.contains(type) || type == relationship.destinationName else {
            return
        }
        report(
            RuleFinding(
                "“\(entity.name).\(relationship.name)” is \(expected) in the model, and \(type) in \(property.location)",
                at: relationship.origin, attribute: "name",
                why: "The value's class differs from the property's, so the app traps when it accesses the property.",
                help: "Change the type of the property, or the relationship."))
    }

    /// Reports properties that the entity lacks.
    private func checkNames(
        _ entity: Entity, declared: [String: SourceClasses.Property], context: LintContext,
        report: (RuleFinding) -> Void
    ) {
        let propertyNames = Set(context.lookup.lineage(of: entity).flatMap { $0.properties.map(\.name) })
        for (name, property) in declared.sorted(by: { $0.key < $1.key })
        where !propertyNames.contains(name) && !name.hasPrefix("primitive") {
            report(
                RuleFinding(
                    "“\(entity.className.name).\(name)” in \(property.location) is not a property of “\(entity.name)”",
                    at: entity.origin, attribute: "name",
                    why: "Core Data makes no accessor for it, so the app traps when it accesses the property.",
                    help: "Remove the property, or add it to the model."))
        }
    }

    // MARK: Types

    private static let orderedTypes: Set = ["NSOrderedSet", "NSMutableOrderedSet"]
    private static let unorderedTypes: Set = ["NSSet", "NSMutableSet", "Set"]
    /// The types without a value for nil. Swift bridges nil to an empty `String` and `Data`, and to the `Decimal` 0.
    private static let trappingTypes: Set = [
        "NSString", "Date", "NSDate", "NSData", "UUID", "NSUUID", "URL", "NSURL", "NSDecimalNumber",
    ]
    private static let objectTypes = trappingTypes.union(["String", "Data"])
    private static let scalarTypes: Set = [
        "Int16", "Int32", "Int64", "Int", "Double", "Float", "Bool", "TimeInterval", "Decimal", "NSNumber",
    ]
    private static let knownTypes = objectTypes.union(scalarTypes)

    private static func trapsAtNil(_ type: String) -> Bool { trappingTypes.contains(type) }

    /// Returns the types that a property of an attribute may have, the usual one first; `nil` for any type.
    private static func types(of type: AttributeType) -> [String]? {
        switch type {
        case .integer16: ["Int16", "NSNumber"]
        case .integer32: ["Int32", "NSNumber"]
        case .integer64: ["Int64", "Int", "NSNumber"]
        case .double: ["Double", "NSNumber"]
        case .float: ["Float", "NSNumber"]
        case .boolean: ["Bool", "NSNumber"]
        case .decimal: ["NSDecimalNumber", "Decimal", "NSNumber"]
        case .string: ["String", "NSString"]
        case .date: ["Date", "NSDate", "TimeInterval", "Double"]
        case .binary: ["Data", "NSData"]
        case .uuid: ["UUID", "NSUUID"]
        case .uri: ["URL", "NSURL"]
        case .undefined, .transformable, .objectID, .composite: nil
        }
    }
}
