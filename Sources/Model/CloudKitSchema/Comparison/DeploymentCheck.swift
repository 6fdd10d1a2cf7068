internal import Diagnostics
internal import ModelSchema

/// Checks whether a schema in production has everything that a model needs (Documentation/Formats/CloudKitSchema.md,
/// 4).
package struct DeploymentCheck {
    /// The XML attribute in findings about encryption.
    package static let encryptionAttribute = "allowsCloudEncryption"

    private let mapping: SchemaMapping
    private let production: Schema
    private let options: SchemaOptions
    private let checksIndexes: Bool
    private let productionTypes: [String: RecordType]
    private var findings: [DeploymentFinding] = []

    /// Returns a finding for everything that is missing or different.
    ///
    /// - Parameters:
    ///   - mapping: The schema that the model needs.
    ///   - production: The schema in production.
    ///   - options: The options of the schema.
    ///   - checksIndexes: Whether the indexes of fields are also compared.
    package static func findings(
        for mapping: SchemaMapping, in production: Schema, _ options: SchemaOptions = SchemaOptions(),
        checksIndexes: Bool = false
    ) -> [DeploymentFinding] {
        var check = DeploymentCheck(
            mapping: mapping, production: production, options: options, checksIndexes: checksIndexes)
        check.run()
        return check.findings
    }

    private init(mapping: SchemaMapping, production: Schema, options: SchemaOptions, checksIndexes: Bool) {
        self.mapping = mapping
        self.production = production
        self.options = options
        self.checksIndexes = checksIndexes
        productionTypes = Dictionary(production.recordTypes.map { ($0.name, $0) }) { first, _ in first }
    }

    private mutating func run() {
        var renamed: Set<String> = []
        for type in mapping.types {
            if let existing = productionTypes[type.name] {
                check(type, existing)
            } else {
                reportMissing(type)
                if let old = reportRename(of: type) { renamed.insert(old) }
            }
        }
        checkManyToMany()
        if options.includesSharing, productionTypes[SchemaMapping.shareName] == nil {
            add(
                ModelFinding(
                    .warning, rule: .cloudkitIncomplete,
                    "production has no record type “\(SchemaMapping.shareName)”", at: nil,
                    why: "Production never creates the type automatically, so objects cannot be shared.",
                    help: "Share an object in the development environment, or import the type, and deploy the schema."),
                remedy: .deploy(SchemaMapping.shareName), components: [SchemaMapping.shareName], kind: "record type")
        }
        let mappedNames = Set(mapping.types.map(\.name))
        for type in production.recordTypes
        where type.name.hasPrefix(SchemaMapping.prefix) && !mappedNames.contains(type.name)
            && !renamed.contains(type.name)
        {
            reportOrphan(type)
        }
    }

    // MARK: Record types

    private mutating func reportMissing(_ type: MappedType) {
        let fields = type.fields.filter { $0.purpose != .receipt || options.includesReceipts }.map(\.field)
        let list = fields.map { "\($0.name) \($0.type.text)" }.joined(separator: ", ")
        add(
            ModelFinding(
                .error, rule: .cloudkitNotDeployed, "production has no record type “\(type.name)”", at: type.origin,
                attribute: "name", why: "Saving objects of “\(type.entityName)” fails on users' devices.",
                help: "Deploy the record type, with the fields \(list)."),
            remedy: .deploy(type.name), components: [type.entityName], kind: "entity")
    }

    /// Reports that an entity was renamed, and returns the record type with its earlier name.
    private mutating func reportRename(of type: MappedType) -> String? {
        guard let earlier = type.renamingIdentifier else { return nil }
        let name = SchemaMapping.prefix + earlier
        guard let old = productionTypes[name], !mapping.types.contains(where: { $0.name == name }) else {
            return nil
        }
        add(
            ModelFinding(
                .error, rule: .cloudkitRenamed,
                "“\(type.entityName)” was renamed from “\(earlier)”, and “\(name)” cannot be renamed",
                at: type.origin, attribute: "elementID",
                why: "CloudKit keeps “\(name)” with its records; they do not become records of “\(type.name)”.",
                help: "Keep the name “\(earlier)”; the class may have another name."),
            remedy: .impossible, components: [type.entityName], kind: "entity", location: old.location)
        return name
    }

    private mutating func reportOrphan(_ type: RecordType) {
        add(
            ModelFinding(
                .note, rule: .cloudkitOrphan, "the model has no entity for the record type “\(type.name)”", at: nil,
                why: "Record types stay in production forever, and older versions of the app may use it.",
                help: "No action is needed. A new entity with this name must match its fields."),
            remedy: .none, components: [type.name], kind: "record type", location: type.location)
    }

    // MARK: Fields

    private mutating func check(_ type: MappedType, _ existing: RecordType) {
        let fields = Dictionary(existing.fields.map { ($0.name, $0) }) { first, _ in first }
        var renamed: Set<String> = []
        for field in type.fields where field.purpose != .receipt || options.includesReceipts {
            guard let found = fields[field.field.name] else {
                reportMissing(field, in: type)
                if let old = reportRename(of: field, in: type, fields) { renamed.insert(old) }
                continue
            }
            if found.type != field.field.type {
                reportChange(field, found, in: type)
            } else if checksIndexes {
                reportIndexes(field.field, found: found, in: type, mapped: field)
            }
        }
        if options.isPublic { checkSystemIndexes(type, fields) }
        let mappedNames = Set(type.fields.map(\.field.name))
        for field in existing.fields where !mappedNames.contains(field.name) && !renamed.contains(field.name) {
            if isExplained(field, in: type, mappedNames: mappedNames, fields: fields) { continue }
            reportOrphan(field, in: existing)
        }
    }

    /// Returns whether a field that the model does not have needs no note.
    private func isExplained(
        _ field: RecordField, in type: MappedType, mappedNames: Set<String>, fields: [String: RecordField]
    ) -> Bool {
        if RecordField.systemType(of: field.name) != nil { return true }
        if type.unknownNames.contains(where: { field.name.hasPrefix($0) }) { return true }
        guard field.type == .asset, field.name.hasSuffix(SchemaMapping.assetSuffix) else { return false }
        // An asset belongs to its field.
        return fields[String(field.name.dropLast(SchemaMapping.assetSuffix.count))] != nil
    }

    private mutating func reportMissing(_ field: MappedField, in type: MappedType) {
        let name = "\(type.name).\(field.field.name)"
        let definition = SchemaPrinter.definition(of: field.field)
        let components = [field.entityName, field.propertyName].compactMap { $0 }
        let kind = field.propertyName == nil ? "entity" : field.purpose == .relationship ? "relationship" : "attribute"
        var finding = ModelFinding(
            .error, rule: .cloudkitNotDeployed, "production has no field “\(name)”", at: field.origin,
            attribute: "name", help: "Deploy the field: \(SchemaName.text(field.field.name)) \(definition).")
        switch field.purpose {
        case .unprovenAttribute: return
        case .entityName: finding.why = "Core Data cannot tell which entity a record belongs to."
        case .attribute, .relationship: finding.why = "Saving the value fails on users' devices."
        case .asset:
            finding.severity = .warning
            finding.rule = .cloudkitLargeValue
            finding.why = "A value that makes its record exceed 1 MB cannot be saved in production."
        case .receipt:
            finding.severity = .warning
            finding.rule = .cloudkitIncomplete
            finding.why = "Sharing stops with an error after the share was made."
        }
        add(finding, remedy: .deploy(name), components: components, kind: kind)
    }

    /// Reports that a property was renamed, and returns the field with its earlier name.
    private mutating func reportRename(
        of field: MappedField, in type: MappedType, _ fields: [String: RecordField]
    ) -> String? {
        guard field.purpose == .attribute || field.purpose == .relationship,
            let earlier = field.renamingIdentifier, let property = field.propertyName
        else { return nil }
        let name = SchemaMapping.prefix + earlier
        guard let old = fields[name], type.field(named: name) == nil else { return nil }
        add(
            ModelFinding(
                .error, rule: .cloudkitRenamed,
                "“\(field.entityName).\(property)” was renamed from “\(earlier)”, and “\(name)” cannot be renamed",
                at: field.origin, attribute: "elementID",
                why: "CloudKit keeps “\(name)” with its values; they do not become values of “\(field.field.name)”.",
                help: "Keep the name “\(earlier)”, or add “\(property)” beside it and copy the values in code."),
            remedy: .impossible, components: [field.entityName, property],
            kind: field.purpose == .relationship ? "relationship" : "attribute",
            location: old.location)
        return name
    }

    private mutating func reportChange(_ field: MappedField, _ found: RecordField, in type: MappedType) {
        let name = "\(type.name).\(field.field.name)"
        let components = [field.entityName, field.propertyName].compactMap { $0 }
        let property = field.purpose == .relationship ? "relationship" : "attribute"
        var finding = ModelFinding(
            .error, rule: .cloudkitTypeChanged,
            "“\(name)” is \(found.type.text) in production; the model needs \(field.field.type.text)",
            at: field.origin, attribute: field.purpose == .relationship ? "name" : "attributeType",
            why: "The type of a field in production never changes.",
            help: "Keep the \(property) as it was, and add another one beside it.")
        if found.type.isEncrypted != field.field.type.isEncrypted {
            finding.attribute = Self.encryptionAttribute
            finding.why = "A field in production can neither become encrypted nor unencrypted."
        } else if found.type == .reference {
            finding.why = "Core Data does not use references; the schema was probably made by hand."
        }
        add(
            finding, remedy: .impossible, components: components, kind: field.propertyName == nil ? "entity" : property,
            location: found.typeLocation.offsets == nil ? found.location : found.typeLocation)
    }

    private mutating func reportOrphan(_ field: RecordField, in type: RecordType) {
        add(
            ModelFinding(
                .note, rule: .cloudkitOrphan, "the model has no property for “\(type.name).\(field.name)”", at: nil,
                why: "Fields stay in production forever, and older versions of the app may use it.",
                help: "No action is needed. A new property with this name must have the type \(field.type.text)."),
            remedy: .none, components: [type.name, field.name], kind: "field", location: field.location)
    }

    // MARK: Indexes

    private mutating func checkSystemIndexes(_ type: MappedType, _ fields: [String: RecordField]) {
        for field in options.systemFields where !field.options.isEmpty {
            reportIndexes(
                field, found: fields[field.name] ?? RecordField(name: field.name, type: field.type), in: type,
                mapped: nil)
        }
    }

    private mutating func reportIndexes(
        _ field: RecordField, found: RecordField, in type: MappedType, mapped: MappedField?
    ) {
        let missing = FieldOption.allCases.filter { field.options.contains($0) && !found.options.contains($0) }
        guard !missing.isEmpty else { return }
        let words = missing.map(\.rawValue).joined(separator: " ")
        add(
            ModelFinding(
                .warning, rule: .cloudkitIndexMissing, "“\(type.name).\(field.name)” is not \(words) in production",
                at: mapped?.origin ?? type.origin, attribute: "name",
                why: mapped == nil
                    ? "A public database is polled with a query, which needs the index."
                    : "The schema was not created by Core Data.",
                help: "Add the index, and deploy the schema."),
            remedy: .deploy("\(type.name).\(field.name)"),
            components: [type.entityName, mapped?.propertyName].compactMap { $0 },
            kind: mapped?.propertyName == nil ? "entity" : "property", location: found.location)
    }

    // MARK: Many-to-many relationships

    private mutating func checkManyToMany() {
        let name = SchemaMapping.manyToManyName
        guard let relationship = mapping.manyToMany else {
            if let type = productionTypes[name] { reportOrphan(type) }
            return
        }
        let components = [relationship.entityName, relationship.name]
        let shown = "“\(components.joined(separator: "."))”"
        guard let type = productionTypes[name] else {
            return add(
                ModelFinding(
                    .warning, rule: .cloudkitIncomplete, "production has no record type “\(name)”",
                    at: relationship.origin, attribute: "name",
                    why: "Core Data keeps \(shown) and other many-to-many relationships in it.",
                    help: "Initialize the schema, and deploy the record type."),
                remedy: .deploy(name), components: components, kind: "relationship")
        }
        for field in SchemaMapping.manyToManyFields {
            guard let found = type.field(named: field.name) else {
                add(
                    ModelFinding(
                        .warning, rule: .cloudkitIncomplete, "production has no field “\(name).\(field.name)”",
                        at: relationship.origin, attribute: "name",
                        why: "Core Data keeps \(shown) and other many-to-many relationships in “\(name)”.",
                        help: "Initialize the schema, and deploy the field."),
                    remedy: .deploy("\(name).\(field.name)"), components: components, kind: "relationship")
                continue
            }
            if found.type != field.type {
                add(
                    ModelFinding(
                        .error, rule: .cloudkitTypeChanged,
                        "“\(name).\(field.name)” is \(found.type.text) in production; Core Data needs \(field.type.text)",
                        at: relationship.origin, attribute: "name",
                        why: "The type of a field in production never changes.",
                        help: "Use a container whose schema Core Data created."),
                    remedy: .impossible, components: components, kind: "relationship", location: found.typeLocation)
            }
        }
    }

    private mutating func add(
        _ finding: ModelFinding, remedy: DeploymentFinding.Remedy, components: [String], kind: String,
        location: SchemaLocation? = nil
    ) {
        findings.append(
            DeploymentFinding(finding: finding, remedy: remedy, components: components, kind: kind, location: location))
    }
}
