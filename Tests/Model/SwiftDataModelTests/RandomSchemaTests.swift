import ModelSchema
import SwiftDataModel
import TestSupport
import Testing

/// Sources of random schemas, whose models are known by construction (Documentation/Formats/SwiftDataModel.md, 2 to 4),
/// are read back equal.
@Suite struct RandomSchemaTests {
    @Test(.randomized) func randomSchemasAreReadBack() {
        Seeds.run(rounds: 250) { generator, log in
            var random = generator
            var schema = RandomSchema(&random)
            let files = schema.files(&random)
            log = files
            let read = SwiftDataSources(
                files.enumerated().map { SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) })
            let found =
                read.findings.map(\.message) + (read.versions.first.map { RandomSchema.lines(of: $0.model) } ?? [])
            guard found == schema.lines.sorted() else {
                throw Mismatch(
                    missing: Set(schema.lines).subtracting(found), extra: Set(found).subtracting(schema.lines))
            }
        }
    }

    /// Sources in another order and with other comments have the same version hashes.
    @Test(.randomized) func hashesDoNotDependOnTheStyle() {
        Seeds.run(rounds: 100) { generator, log in
            var random = generator
            var schema = RandomSchema(&random)
            let hashes = (0..<2).map { _ in
                let files = schema.files(&random)
                log += files
                return SwiftDataSources(
                    files.enumerated().map {
                        SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8))
                    }
                ).versions.first?.model.versionHashes().entities
            }
            guard hashes[0] != nil, hashes[0] == hashes[1] else { throw Mismatch(missing: [], extra: []) }
        }
    }
}

/// A model that is not the expected one.
private struct Mismatch: Error {
    var missing: Set<String>
    var extra: Set<String>
}

/// A random schema: its expected model and the parts of its sources.
private struct RandomSchema {
    /// The expected model, in the form of `lines(of:)`.
    private(set) var lines: [String] = []
    private var classes: [(name: String, members: [String])] = []
    private var values: [String] = []
    private var serial = 0

    private struct Kind {
        var swift: String
        var type: AttributeType
        /// An initial value from which Swift infers the type; `nil` if there is none.
        var inferred: String?
    }

    private static let kinds = [
        Kind(swift: "String", type: .string, inferred: "\"a { b\""),
        Kind(swift: "Bool", type: .boolean, inferred: "false"),
        Kind(swift: "Int", type: .integer64, inferred: "-1_000"), Kind(swift: "UInt8", type: .integer16, inferred: nil),
        Kind(swift: "Int32", type: .integer32, inferred: "Int32(4)"),
        Kind(swift: "UInt32", type: .integer32, inferred: nil),
        Kind(swift: "Int16", type: .integer16, inferred: nil), Kind(swift: "UInt64", type: .integer64, inferred: nil),
        Kind(swift: "Double", type: .double, inferred: "1.5"), Kind(swift: "Float", type: .float, inferred: nil),
        Kind(swift: "Decimal", type: .decimal, inferred: nil), Kind(swift: "Date", type: .date, inferred: "Date()"),
        Kind(swift: "Data", type: .binary, inferred: "Data()"), Kind(swift: "UUID", type: .uuid, inferred: "UUID()"),
        Kind(swift: "URL", type: .uri, inferred: nil),
    ]

    init(_ random: inout SeededGenerator) {
        let names = (0..<Int.random(in: 1...4, using: &random)).map { "Model\($0)" }
        for name in names { classes.append((name, [])) }
        for index in names.indices { addAttributes(index, &random) }
        guard names.count > 1 else { return }
        var pairs: Set<Set<Int>> = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let (one, other) = (
                Int.random(in: names.indices, using: &random), Int.random(in: names.indices, using: &random)
            )
            guard one != other, pairs.insert([one, other]).inserted else { continue }
            addRelationship(one, other, &random)
        }
    }

    private mutating func name(_ prefix: String) -> String {
        serial += 1
        return "\(prefix)\(serial)"
    }

    // MARK: Attributes

    private mutating func addAttributes(_ index: Int, _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: addComposite(index, &random)
            case 1: addIgnored(index, &random)
            default: addPlain(index, &random)
            }
        }
    }

    private mutating func addPlain(_ index: Int, _ random: inout SeededGenerator) {
        guard let kind = Self.kinds.randomElement(using: &random) else { return }
        let name = name("plain")
        let isOptional = Bool.random(using: &random)
        let isUnique = Int.random(in: 0..<6, using: &random) == 0
        let isExternal = kind.type == .binary && Bool.random(using: &random)
        var options: [String] = []
        if isUnique { options.append(".unique") }
        if isExternal { options.append(".externalStorage") }
        let macro = options.isEmpty ? "" : "@Attribute(\(options.joined(separator: ", "))) "
        let keyword = Bool.random(using: &random) ? "var" : "private(set) var"
        let declaration: String
        if isOptional {
            declaration =
                Bool.random(using: &random) ? "\(name): \(kind.swift)?" : "\(name): Optional<\(kind.swift)> = nil"
        } else if let inferred = kind.inferred, Bool.random(using: &random) {
            declaration = "\(name) = \(inferred)"
        } else {
            declaration = "\(name): \(kind.swift)"
        }
        let observer = !isOptional && Bool.random(using: &random) ? " { didSet { print(\"}\") } }" : ""
        classes[index].members.append("\(macro)\(keyword) \(declaration)\(observer)")
        let entity = classes[index].name
        lines.append("\(entity).\(name) \(kind.type)\(isOptional ? "?" : "")\(isExternal ? " external" : "")")
        if isUnique { lines.append("\(entity) unique \(name)") }
    }

    private mutating func addIgnored(_ index: Int, _ random: inout SeededGenerator) {
        let name = name("ignored")
        classes[index].members.append(
            [
                "var \(name): Int { 1 }", "static var \(name) = 2", "@Transient var \(name) = 3",
                "func \(name)() -> String { \"var x: Int\" }", "lazy var \(name) = \"a\"",
            ].randomElement(using: &random) ?? "")
    }

    private mutating func addComposite(_ index: Int, _ random: inout SeededGenerator) {
        let (name, type) = (name("group"), name("Value"))
        let isOptional = Bool.random(using: &random)
        let entity = classes[index].name
        var leaves: [String] = []
        if Bool.random(using: &random) {
            let raw = Bool.random(using: &random) ? "String" : "Int"
            values.append("enum \(type): \(raw), Codable { case one, two }")
            leaves = ["\(name) \(raw == "Int" ? AttributeType.integer64 : .string)?"]
        } else {
            var members: [String] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let kind = Self.kinds.randomElement(using: &random) else { continue }
                let (leaf, isOptionalLeaf) = (self.name("leaf"), Bool.random(using: &random))
                members.append("var \(leaf): \(kind.swift)\(isOptionalLeaf ? "?" : "")")
                leaves.append("\(leaf) \(kind.type)\(isOptional || isOptionalLeaf ? "?" : "")")
            }
            values.append("struct \(type): Codable { \(members.joined(separator: "; ")) }")
        }
        classes[index].members.append("var \(name): \(type)\(isOptional ? "?" : "")")
        lines.append(
            "\(entity).\(name) composite\(isOptional ? "?" : "") [\(leaves.sorted().joined(separator: ", "))]")
    }

    // MARK: Relationships

    private mutating func addRelationship(_ one: Int, _ other: Int, _ random: inout SeededGenerator) {
        let (first, second) = (name("link"), name("link"))
        let (source, destination) = (classes[one].name, classes[other].name)
        let isToMany = (Bool.random(using: &random), Bool.random(using: &random))
        let isOptional = (Bool.random(using: &random), Bool.random(using: &random))
        func type(_ model: String, _ isToMany: Bool, _ isOptional: Bool) -> String {
            (isToMany ? "[\(model)]" : model) + (isOptional ? "?" : "")
        }
        let forward = "var \(first): \(type(destination, isToMany.0, isOptional.0))"
        let back = "var \(second): \(type(source, isToMany.1, isOptional.1))"
        let isInverse: Bool
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            // Rule 8: there is no relationship back.
            classes[one].members.append(forward)
            add(source, first, destination, isToMany.0, isOptional.0, inverse: nil)
            return
        case 1:
            // Rule 1.
            classes[one].members.append(
                "@Relationship(deleteRule: .cascade, inverse: \\\(destination).\(second)) \(forward)")
            classes[other].members.append(back)
            isInverse = true
        case 2:
            // Rule 5.
            classes[one].members.append("@Relationship \(forward)")
            classes[other].members.append("@Relationship(deleteRule: .deny) \(back)")
            isInverse = false
        default:
            // The inverse of two plain arrays is not decided: one end must be to-one, for rules 2 and 3.
            guard !(isToMany.0 && isToMany.1) else { return }
            classes[one].members.append(
                (Bool.random(using: &random) ? "@Relationship(deleteRule: .nullify) " : "") + forward)
            classes[other].members.append(back)
            isInverse = (isToMany.0 || isOptional.0) && (isToMany.1 || isOptional.1)
        }
        add(source, first, destination, isToMany.0, isOptional.0, inverse: isInverse ? second : nil)
        add(destination, second, source, isToMany.1, isOptional.1, inverse: isInverse ? first : nil)
    }

    private mutating func add(
        _ entity: String, _ name: String, _ destination: String, _ isToMany: Bool, _ isOptional: Bool, inverse: String?
    ) {
        lines.append(
            "\(entity).\(name) -> \(destination)\(isToMany ? "*" : "")\(isOptional ? "?" : "") \(inverse ?? "none")")
    }

    // MARK: Text

    /// Returns the sources in a random style.
    mutating func files(_ random: inout SeededGenerator) -> [String] {
        var parts = values
        for entity in classes {
            let members = entity.members.shuffled(using: &random).map { member in
                let comment = ["", "// var wrong: Int\n    ", "/* class { */ "].randomElement(using: &random) ?? ""
                return "    \(comment)\(member)"
            }
            parts.append("@Model\nfinal class \(entity.name) {\n\(members.joined(separator: "\n"))\n    init() {}\n}")
        }
        parts.shuffle(using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return parts.map { "import SwiftData\n\n\($0)\n" }
        case 1: return ["enum Space {\n\(parts.joined(separator: "\n"))\n}\n"]
        default: return [parts.joined(separator: "\n\n")]
        }
    }

    /// Returns a model as sorted lines.
    static func lines(of model: Model) -> [String] {
        var lines: [String] = []
        for entity in model.entities {
            for attribute in entity.attributes {
                var line = "\(entity.name).\(attribute.name) \(attribute.type)\(attribute.isOptional ? "?" : "")"
                if attribute.allowsExternalBinaryStorage { line += " external" }
                if attribute.type == .composite {
                    let leaves = (attribute.leaves(model.composites) ?? []).map {
                        "\($0.name) \($0.type)\($0.isOptional ? "?" : "")"
                    }
                    line += " [\(leaves.sorted().joined(separator: ", "))]"
                }
                lines.append(line)
            }
            for relationship in entity.relationships {
                lines.append(
                    "\(entity.name).\(relationship.name) -> \(relationship.destinationName ?? "")"
                        + "\(relationship.isToMany ? "*" : "")\(relationship.isOptional ? "?" : "") "
                        + (relationship.inverseName ?? "none"))
            }
            for constraint in entity.uniquenessConstraints {
                lines.append("\(entity.name) unique \(constraint.properties.map(\.name).joined(separator: "."))")
            }
        }
        return lines.sorted()
    }
}
