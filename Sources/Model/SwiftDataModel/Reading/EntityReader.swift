internal import ModelSchema
internal import SwiftDataRules
internal import SwiftSources

/// A reader of `@Model` classes, which become entities (Documentation/Formats/SwiftDataModel.md, 2 to 4).
struct EntityReader {
    let table: TypeTable
    let texts: SourceTexts
    var values: ValueTypeReader
    var relationships: [PendingRelationship] = []
    var problems: [SourceProblem] = []
    /// The source ranges of the model's parts, by the index of their origin.
    var spans: [SourceSpan] = []
    /// The destination models of relationships that were not taken yet.
    private var destinations: [TypeTable.Entry] = []

    init(table: TypeTable, texts: SourceTexts) {
        self.table = table
        self.texts = texts
        values = ValueTypeReader(table: table)
    }

    /// Returns the destination models of the relationships read since the last call.
    mutating func takeDestinations() -> [TypeTable.Entry] {
        defer { destinations = [] }
        return destinations
    }

    mutating func origin(_ span: SourceSpan) -> ElementOrigin {
        spans.append(span)
        return ElementOrigin(index: spans.count - 1)
    }

    mutating func report(_ message: String, _ span: SourceSpan, help: String? = nil) {
        problems.append(SourceProblem(message: message, span: span, help: help))
    }

    /// Returns the entity of a class. Its relationships have no inverses yet.
    mutating func entity(of entry: TypeTable.Entry) -> Entity {
        let type = entry.type
        var entity = Entity(name: type.name)
        entity.origin = origin(type.span)
        check(entry)
        for property in entry.type.properties where property.isStored { read(property, of: entry, into: &entity) }
        for source in type.macros + entry.extensions.flatMap(\.macros) { read(source, of: entry, into: &entity) }
        return entity
    }

    private mutating func check(_ entry: TypeTable.Entry) {
        let type = entry.type
        if type.kind != .class {
            report("“@Model” is attached to \(type.kind.rawValue) “\(type.name)”", type.span, help: "make it a class")
        }
        if let ambiguity = entry.ambiguity {
            let name = ambiguity.condition == nil ? type.path.joined(separator: ".") : type.name
            report("“\(name)” \(ambiguity.reason(texts))", type.span, help: ambiguity.help)
        }
        if type.isGeneric {
            report(
                "“\(type.name)” is generic, which SwiftData does not support", type.span, help: "remove the parameters"
            )
        }
        if let parent = baseClass(of: entry) {
            report(
                "“\(type.name)” inherits from “\(parent)”: the version hash of an inherited model is unknown",
                type.span,
                help:
                    "declare the properties in one class; how SwiftData hashes a subclass has not been verified against a store"
            )
        }
        for property in entry.extensions.flatMap(\.properties) where property.isStored {
            report(
                "an extension cannot store “\(type.name).\(property.name)”", property.span,
                help: "move it to the class")
        }
    }

    /// Returns the name of the class that a class inherits from. A class of another module looks like a protocol,
    /// unless a member uses it.
    private func baseClass(of entry: TypeTable.Entry) -> String? {
        for (inherited, scope) in entry.inherited {
            guard case .type(let parent) = table.resolve(inherited, from: scope), parent.type.kind == .class
            else { continue }
            return parent.type.name
        }
        guard ([entry.type] + entry.extensions).contains(where: \.hasBaseClass) else { return nil }
        return entry.type.inherited.first?.lastName
    }

    mutating func reportCondition(_ condition: String, of subject: String, at span: SourceSpan) {
        report(
            "\(subject) depends on `#if \(condition)`", span,
            help: Self.conditionHelp)
    }

    static let conditionHelp =
        "move the declaration out of the condition, or decide its flags with `--define NAME[=false]` or "
        + "`define:` in `.modelc.yml`"

    // MARK: Properties

    private mutating func read(_ property: PropertySource, of entry: TypeTable.Entry, into entity: inout Entity) {
        let title = "“\(entity.name).\(property.name)”"
        if property.isMarkedTransient { return }
        if let unknown = property.attributes.first(where: { !Self.knownAttributes.contains($0.name) }) {
            return report(
                "\(title) has the attribute “@\(unknown.name)”, which may change how it is stored", unknown.span,
                help: "remove the attribute, or mark the property with “@Transient”")
        }
        if let condition = property.undecided.first(where: { !entry.type.undecided.contains($0) }) {
            return reportCondition(condition, of: title, at: property.span)
        }
        guard !property.isTuple else {
            return report(
                "a tuple pattern cannot be stored", property.span, help: "declare a variable for each element")
        }
        let scope = property.scope(in: entry)
        guard let type = LiteralType.type(of: property, in: scope, table) else {
            return report(
                "the type of \(title) cannot be determined from its initial value", property.span,
                help: "write the type: `var \(property.name): …`")
        }
        if let last = property.initializer.last, !texts.isClosed(last, in: property.span.file) {
            return report(
                "the string in the initial value of \(title) is not closed",
                SourceSpan(file: property.span.file, range: last.range), help: "fix the file so that it compiles")
        }
        var field = Field(property: property, title: title, isOptional: type.isOptional, scope: scope)
        field.settings = attributeSettings(of: property, title: title)
        guard !type.unwrapped.isOptional else {
            return report("\(title) is an optional of an optional", property.span, help: "use one question mark")
        }
        read(field, type.unwrapped, into: &entity)
    }

    /// The attributes, other than SwiftData's, that do not affect how a property is stored.
    private static let knownAttributes: Set<String> = [
        "Attribute", "Relationship", "Transient", "available", "MainActor", "objc", "nonobjc",
        "preconcurrency", "usableFromInline",
    ]

    /// A stored property that is being read.
    struct Field {
        var property: PropertySource
        var title: String
        var isOptional: Bool
        var scope: Scope
        var settings = AttributeSettings()
    }

    private mutating func read(_ field: Field, _ type: SwiftTypeText, into entity: inout Entity) {
        checkMacros(of: field, type)
        if field.settings.isTransformable {
            add(.transformable, field, to: &entity)
            return
        }
        switch resolved(type, field.scope) {
        case .model(let entry):
            addRelationship(to: entry, isToMany: false, field, of: &entity)
        case .array(let element, let scope):
            readArray(of: element, in: scope, field, into: &entity)
        case .dictionary(let value, let scope):
            readDictionary(of: value, in: scope, field, into: &entity)
        case .simple(let type):
            add(type, field, to: &entity)
        case .value(let entry):
            do throws(ValueTypeReader.Failure) {
                let name = try values.composite(
                    for: entry, property: field.property.name, isOptional: field.isOptional)
                try values.checkLeaves(of: name)
                add(.composite, field, to: &entity, composite: name)
            } catch {
                report(error, field)
            }
        case .framework(let path, let elements):
            let name = values.composite(ofFramework: path, elements, isOptional: field.isOptional)
            add(.composite, field, to: &entity, composite: name)
        case .notNominal:
            report(
                "\(field.title) cannot be stored: its type is a protocol, a tuple or a function", field.property.span,
                help: "store a `String`, a number or a Codable structure, and compute the value")
        case .unclear(let ambiguity): report(ValueTypeReader.Failure(ambiguity), field)
        case .unknown:
            report(
                "the type of \(field.title) is not declared in the sources, and how SwiftData stores it is unknown",
                field.property.span,
                help: "add the file that declares it, or store a `String`, a number or `Data` and compute the value")
        }
    }

    private mutating func report(_ failure: ValueTypeReader.Failure, _ field: Field) {
        let spans = [failure.span, failure.otherSpan].compactMap { $0 }.map(texts.describe)
        let location = spans.isEmpty ? "" : " (\(spans.joined(separator: " and ")))"
        report(
            "\(field.title) cannot be stored: \(failure.reason)\(location)", field.property.span, help: failure.help)
    }

    /// Reports a macro meant for the other kind of property: SwiftData's handling of it is unknown.
    private mutating func checkMacros(of field: Field, _ type: SwiftTypeText) {
        let isRelationship =
            switch resolved(type, field.scope) {
            case .model: true
            case .array(let element, let scope):
                if case .model = resolved(element, scope) { true } else { false }
            default: false
            }
        if !isRelationship, let macro = field.property.attributes.first(where: { $0.name == "Relationship" }) {
            report(
                "\(field.title) has “@Relationship”, and its type is not a model", macro.span,
                help: "remove the macro, or use “@Attribute”")
        }
        if isRelationship, !field.settings.isTransformable, field.settings.hasOptionsOfValues,
            let macro = field.property.attributes.first(where: { $0.name == "Attribute" })
        {
            report(
                "\(field.title) is a relationship, and its “@Attribute” has options of attributes", macro.span,
                help: "remove the options")
        }
    }

    /// How SwiftData stores a type.
    private enum Storage {
        case simple(AttributeType)
        case model(TypeTable.Entry)
        case value(TypeTable.Entry)
        case framework([String], [(name: String, type: AttributeType)])
        case array(SwiftTypeText, Scope)
        case dictionary(SwiftTypeText, Scope)
        /// An alias whose declaration is ambiguous.
        case unclear(TypeTable.Ambiguity)
        /// A tuple, function, composition or `any P`.
        case notNominal
        case unknown
    }

    private func resolved(_ type: SwiftTypeText, _ scope: Scope) -> Storage {
        switch type {
        case .array(let element): return .array(element, scope)
        case .dictionary(_, let value): return .dictionary(value, scope)
        case .other: return .notNominal
        case .optional: return .unknown
        case .named: break
        }
        switch table.resolve(type, from: scope) {
        case .type(let entry): return entry.type.isModel ? .model(entry) : .value(entry)
        case .external(.array(let element), let scope): return .array(element, scope)
        case .external(.dictionary(_, let value), let scope): return .dictionary(value, scope)
        case .external(let external, _):
            if let simple = SimpleType.attributeType(of: external) { return .simple(simple) }
            if case .named(let components) = external {
                let path = components.map(\.name)
                if let elements = SimpleType.frameworkValues[path] { return .framework(path, elements) }
            }
            return .unknown
        case .unclear(let ambiguity): return ambiguity.map(Storage.unclear) ?? .unknown
        }
    }

    private mutating func readArray(
        of element: SwiftTypeText, in scope: Scope, _ field: Field, into entity: inout Entity
    ) {
        switch resolved(element, scope) {
        case .model(let entry): addRelationship(to: entry, isToMany: true, field, of: &entity)
        case .simple:
            add(.transformable, field, to: &entity)
            entity.attributes[entity.attributes.count - 1].valueTransformerName = SimpleTypes.arrayTransformerName
            entity.attributes[entity.attributes.count - 1].customClassName = "Array"
        default:
            report(
                "\(field.title) is an array of values, and how SwiftData stores it is unknown", field.property.span,
                help: "store `Data`, or make the elements a model with a relationship")
        }
    }

    private mutating func readDictionary(
        of value: SwiftTypeText, in scope: Scope, _ field: Field, into entity: inout Entity
    ) {
        if case .value(let entry) = resolved(value, scope), entry.type.kind == .struct {
            add(.binary, field, to: &entity)
        } else {
            report(
                "\(field.title) is a dictionary, and how SwiftData stores it is unknown", field.property.span,
                help: "store `Data`, or make the values Codable structures")
        }
    }

    private mutating func add(
        _ type: AttributeType, _ field: Field, to entity: inout Entity, composite: String? = nil
    ) {
        var attribute = Attribute(name: field.property.name, type: type)
        attribute.isOptional = field.isOptional
        attribute.compositeName = composite
        attribute.origin = origin(field.property.span)
        attribute.defaultValue = defaultValue(of: field.property, type)
        attribute.hasComputedDefault =
            attribute.defaultValue == nil && !field.property.initializer.isEmpty
            && field.property.initializer.first?.is("nil") != true
        if field.property.initializer.first.map({ $0.kind == .number || $0.is("-") }) == true,
            NumberLiteral(field.property.initializer.map(\.text).joined().filter { $0 != "_" }) == .tooLarge
        {
            report(
                "the initial value of \(field.title) is too large for any number type", field.property.span,
                help: "write a number that fits the type")
        }
        field.settings.apply(to: &attribute)
        entity.attributes.append(attribute)
        if field.settings.isUnique {
            entity.uniquenessConstraints.append(
                UniquenessConstraint(properties: [PropertyMention(name: attribute.name, origin: attribute.origin)]))
        }
    }

    /// Returns a literal initial value in the form used by an `.xcdatamodel`, or `nil` for other expressions.
    private func defaultValue(of property: PropertySource, _ type: AttributeType) -> String? {
        guard let first = property.initializer.first else { return nil }
        switch type {
        case .string:
            return property.initializer.count == 1 ? texts.string(first, in: property.span.file) : nil
        case .boolean:
            guard property.initializer.count == 1 else { return nil }
            return first.is("true") ? "YES" : first.is("false") ? "NO" : nil
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            let text = property.initializer.map(\.text).joined().filter { $0 != "_" }
            guard property.initializer.allSatisfy({ $0.kind == .number || $0.is("-") || $0.is(".") }) else {
                return nil
            }
            switch NumberLiteral(text) {
            case .integer(let integer): return "\(integer)"
            case .real(let real): return "\(real)"
            case .tooLarge, nil: return nil
            }
        default: return nil
        }
    }

    private mutating func addRelationship(
        to entry: TypeTable.Entry, isToMany: Bool, _ field: Field, of entity: inout Entity
    ) {
        var relationship = Relationship(name: field.property.name, destinationName: entry.type.name)
        relationship.isOptional = field.isOptional
        relationship.isToMany = isToMany
        relationship.minimumCount = 0
        relationship.maximumCount = isToMany ? 0 : 1
        relationship.deleteRule = .nullify
        relationship.renamingIdentifier = field.settings.originalName
        relationship.versionHashModifier = field.settings.hashModifier
        relationship.origin = origin(field.property.span)
        var pending = PendingRelationship(
            entity: entity.name, relationship: relationship, span: field.property.span, hasMacro: false)
        if let macro = field.property.attributes.first(where: { $0.name == "Relationship" }) {
            pending.hasMacro = true
            apply(macro, of: field, to: &pending, isUnique: &entity.uniquenessConstraints)
        }
        if field.settings.isUnique {
            entity.uniquenessConstraints.append(
                UniquenessConstraint(properties: [PropertyMention(name: relationship.name, origin: relationship.origin)]
                ))
        }
        relationships.append(pending)
        destinations.append(entry)
    }
}
