internal import Diagnostics
internal import ModelSchema

/// Finds everything in a model that SwiftData cannot express, or that has a different meaning in SwiftData.
struct SwiftDataLimits {
    let schema: SwiftDataSchema

    /// The findings, in the order of the model.
    var findings: [ModelFinding] {
        model.entities.flatMap(findings) + model.composites.flatMap(findings) + modelFindings
    }

    private var model: Model { schema.model }

    // MARK: The model

    private var modelFindings: [ModelFinding] {
        let requests = model.fetchRequests.map {
            lost(
                "the fetch request template “\($0.name)” is left out", origin: $0.origin,
                help: "Write a FetchDescriptor in code.")
        }
        guard model.configurations.count > 1 else { return requests }
        return requests
            + model.configurations.map {
                lost(
                    "the configuration “\($0.name)” is left out", origin: $0.origin,
                    help: "Pass a ModelConfiguration with a Schema of its models to the ModelContainer.")
            }
    }

    // MARK: Entities

    private func findings(_ entity: Entity) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        let title = "“\(entity.name)”"
        if entity.isAbstract {
            findings.append(
                changed(
                    "the abstract entity \(title) becomes a class that can have objects", origin: entity.origin,
                    attribute: "isAbstract",
                    why: "SwiftData has no abstract models.", help: "Do not create objects of it."))
        }
        if let parent = entity.parentName {
            findings.append(
                changed(
                    "\(title) inherits from “\(parent)”, which needs iOS 26 or macOS 26", origin: entity.origin,
                    attribute: "parentEntity",
                    why:
                        "Earlier versions of SwiftData have no inheritance, and the version hashes of its subclasses are unproven.",
                    help: "For earlier systems, declare the properties in each class, or use a protocol."))
        }
        if entity.renamingIdentifier.map({ !$0.isEmpty && $0 != entity.name }) ?? false {
            findings.append(
                changed(
                    "the renaming ID of the entity \(title) is left out", origin: entity.origin, attribute: "elementID",
                    why: "SwiftData cannot rename a model: its objects are lost unless a custom stage copies them.",
                    help: "Keep the old name of the class, or copy the objects in a custom stage."))
        }
        if entity.versionHashModifier.map({ !$0.isEmpty }) ?? false {
            findings.append(
                lost(
                    "the hash modifier of the entity \(title) is left out", origin: entity.origin,
                    help: "Put it on a property instead."))
        }
        if !(entity.spotlightDisplayNameExpression ?? "").isEmpty {
            findings.append(
                lost(
                    "the Spotlight display name of \(title) is left out", origin: entity.origin,
                    help: "Index the objects with Core Spotlight."))
        }
        if entity.className.isCustom, entity.className.name != entity.name {
            findings.append(
                ModelFinding(
                    .note, rule: .swiftDataLimit,
                    "the class of \(title) is named “\(entity.name)” instead of “\(entity.className.name)”",
                    at: entity.origin, attribute: "representedClassName",
                    why: "SwiftData names entities after their classes.", help: "Add a type alias for existing code."))
        }
        findings += entity.attributes.flatMap { self.findings($0, of: entity.name, isElement: false) }
        findings += entity.relationships.flatMap { self.findings($0, of: entity) }
        findings += entity.fetchedProperties.map {
            lost(
                "the fetched property “\(entity.name).\($0.name)” is left out", origin: $0.origin,
                help: "Fetch in a method of the class.")
        }
        return findings + constraints(entity)
    }

    private func constraints(_ entity: Entity) -> [ModelFinding] {
        var findings: [ModelFinding] = []
        let own = Set(
            entity.attributes.filter { schema.valueType(of: $0) != nil }.map(\.name)
                + entity.relationships.map(\.name))
        let stored = own.union(
            entity.ancestors(in: schema.entities).flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
        for constraint in entity.uniquenessConstraints
        where !constraint.properties.allSatisfy({ stored.contains($0.name) }) {
            findings.append(
                lost(
                    "a constraint of “\(entity.name)” is left out: it names something that SwiftData does not store",
                    origin: constraint.origin ?? entity.origin, help: "Check it in code."))
        }
        for index in entity.fetchIndexes where !SwiftDataIndex.isExpressible(index) {
            findings.append(
                lost(
                    "the fetch index “\(entity.name).\(index.name)” is left out: SwiftData has no descending, partial, mixed or "
                        + "expression indexes", origin: index.origin ?? entity.origin,
                    help: "Add an index of the properties."))
        }
        let needsMacro =
            entity.uniquenessConstraints.contains { $0.properties.count > 1 }
            || !SwiftDataIndex.indexes(of: entity, stored: stored).isEmpty
        if needsMacro {
            findings.append(
                ModelFinding(
                    .note, rule: .swiftDataLimit,
                    "the indexes and constraints of several properties of “\(entity.name)” need iOS 18 or macOS 15",
                    at: entity.origin,
                    help: "For iOS 17, remove the macros #Index and #Unique from a copy of the class."))
        }
        return findings
    }

    private func findings(_ composite: CompositeType) -> [ModelFinding] {
        composite.attributes.flatMap { findings($0, of: composite.name, isElement: true) }
    }

    // MARK: Attributes

    private func findings(_ attribute: Attribute, of owner: String, isElement: Bool) -> [ModelFinding] {
        let title = "“\(owner).\(attribute.name)”"
        guard schema.valueType(of: attribute) != nil else { return [unstorable(attribute, title)] }
        var findings: [ModelFinding] = []
        func add(_ what: String, key: String, why: String, help: String) {
            findings.append(changed("\(title)\(what)", origin: attribute.origin, attribute: key, why: why, help: help))
        }
        if attribute.isDerived {
            add(
                " is derived in Core Data and a stored property in SwiftData", key: "derived",
                why: "SwiftData does not compute it.",
                help: "Set it when its sources change, or make it a computed property.")
        }
        if attribute.isTransient {
            add(
                " is transient: SwiftData has no such attribute in its model", key: "transient",
                why: "The version hash of the entity differs.",
                help: "No action is needed unless existing stores are opened.")
        }
        if !attribute.validations.isEmpty {
            add(
                " has validation rules, which are left out", key: "minValueString", why: "SwiftData validates nothing.",
                help: "Check the value in the initializer and before saving.")
        }
        if SwiftDataDefault(attribute: attribute, schema: schema).isLost {
            add(
                " has a default value that is left out", key: "defaultValueString",
                why: "Swift has no expression for it that cannot fail.", help: "Set it in the initializer.")
        }
        if attribute.type == .transformable, (attribute.valueTransformerName ?? "").isEmpty {
            add(
                " has no value transformer; the code names \(SwiftDataClass.defaultTransformer)",
                key: "valueTransformerName",
                why: "SwiftData needs a secure one, which cannot read everything that was written without it.",
                help: "Set the transformer in the model.")
        }
        if attribute.isStoredInTruthFile {
            add(
                " is stored in an external record file, which SwiftData does not write", key: "storedInTruthFile",
                why: "",
                help: "Turn it off.")
        }
        if isElement, attribute.defaultValue != nil || attribute.renamingIdentifier != nil {
            add(
                " has a default value or renaming ID, which elements of a structure cannot have",
                key: "defaultValueString",
                why: "",
                help: "Set it in the initializer.")
        }
        return findings
    }

    private func unstorable(_ attribute: Attribute, _ title: String) -> ModelFinding {
        switch attribute.type {
        case .transformable:
            changed(
                "\(title) is left out: the type of its values is unknown", origin: attribute.origin,
                attribute: "customClassName",
                why: "A SwiftData property needs a type; the model names none for this transformable attribute.",
                help: "Specify the type (Attribute ▸ Data Model inspector ▸ Custom Class).")
        case .composite:
            lost(
                "\(title) is left out: its composite type is unknown", origin: attribute.origin,
                help: "Specify a composite type of the model.")
        case .objectID:
            lost(
                "\(title) is left out: SwiftData cannot store object IDs", origin: attribute.origin,
                help: "Use a relationship.")
        default:
            lost(
                "\(title) is left out: it has no type", origin: attribute.origin,
                help: "Choose a type, or add a computed or @Transient property in code.")
        }
    }

    // MARK: Relationships

    private func findings(_ relationship: Relationship, of entity: Entity) -> [ModelFinding] {
        let title = "“\(entity.name).\(relationship.name)”"
        var findings: [ModelFinding] = []
        func add(_ what: String, key: String, why: String, help: String) {
            findings.append(
                changed("\(title)\(what)", origin: relationship.origin, attribute: key, why: why, help: help))
        }
        if relationship.isOrdered {
            add(
                " is ordered; arrays of SwiftData keep no order", key: "ordered",
                why: "SwiftData returns the objects in any order, and the version hash of the entity differs.",
                help: "Store a number for the position, and sort by it.")
        }
        if relationship.isTransient {
            add(
                " is transient and becomes a stored relationship", key: "transient", why: "",
                help: "Compute it in code.")
        }
        findings += counts(relationship, title)
        switch relationship.deleteRule ?? .nullify {
        case .deny:
            add(
                " has the delete rule Deny, whose failure SwiftData reports only when it saves", key: "deletionRule",
                why:
                    "ModelContext.delete does not throw, and a context that saves automatically does not report the error.",
                help: "Check in code before deleting.")
        case .noAction:
            add(
                " has the delete rule No Action, which leaves references to deleted objects", key: "deletionRule",
                why: "Reading a property of a deleted model traps in SwiftData.",
                help: "Choose Nullify, or update the other side in code.")
        case .nullify where !relationship.isToMany && !relationship.isOptional && relationship.inverseName != nil:
            add(
                " is required and nullified", key: "deletionRule",
                why: "Deleting the destination leaves a property without a value, and reading it traps in SwiftData.",
                help: "Make it optional, or let the inverse cascade.")
        default: break
        }
        findings += inverse(relationship, of: entity, title)
        return findings
    }

    private func counts(_ relationship: Relationship, _ title: String) -> [ModelFinding] {
        let hasMaximum = relationship.isToMany && relationship.compiledMaximumCount != 0
        guard relationship.compiledMinimumCount != 0 || hasMaximum else { return [] }
        return [
            ModelFinding(
                .note, rule: .swiftDataLimit,
                "the counts of \(title) are passed to the macro, whose effect on the version hash is unverified",
                at: relationship.origin, attribute: "minCount",
                why: "Without the arguments SwiftData's minimum count is always 0, also for a required relationship.",
                help: "Check the number of objects in code.")
        ]
    }

    private func inverse(_ relationship: Relationship, of entity: Entity, _ title: String) -> [ModelFinding] {
        guard relationship.inverseName != nil else { return [] }
        guard let inverse = schema.inverse(of: relationship, in: entity) else {
            return [
                changed(
                    "the inverse of \(title) is left out: it is not reciprocal", origin: relationship.origin,
                    attribute: "inverseName",
                    why: "An inverse in SwiftData always sets both ends.", help: "Correct the inverse in the model.")
            ]
        }
        guard inverse.entity == entity.name, inverse.relationship.name == relationship.name else { return [] }
        return [
            changed(
                "the inverse of \(title) is left out: it is its own inverse", origin: relationship.origin,
                attribute: "inverseName",
                why: "A macro that names its own property does not compile.", help: "Update both objects in code.")
        ]
    }

    // MARK: Words

    private func lost(_ message: String, origin: ElementOrigin?, help: String) -> ModelFinding {
        changed(message, origin: origin, attribute: nil, why: "SwiftData cannot express it.", help: help)
    }

    private func changed(
        _ message: String, origin: ElementOrigin?, attribute: String?, why: String, help: String
    ) -> ModelFinding {
        ModelFinding(
            .warning, rule: .swiftDataLimit, message, at: origin, attribute: attribute, why: why.isEmpty ? nil : why,
            help: help)
    }
}
