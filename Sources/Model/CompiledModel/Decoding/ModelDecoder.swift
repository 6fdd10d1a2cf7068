internal import ModelSchema

/// Decodes a model from an archive (Documentation/Formats/CompiledModel.md, 2).
struct ModelDecoder {
    typealias ObjectID = KeyedArchive.ObjectID

    /// The decoder of the archive's predicates and expressions.
    var expressions: ExpressionDecoder
    /// The reader of the archive's objects.
    var reader: ArchiveReader {
        _read { yield expressions.reader }
        _modify { yield &expressions.reader }
    }
    private(set) var compilerXcodeVersion: Int?
    private(set) var compilerToolVersion: Double?
    private(set) var versionIdentifiers: [String] = []
    /// The names of the entities, by their objects.
    private(set) var entityNames: [ObjectID: String] = [:]
    /// The names of the properties of entities that have subentities.
    var propertyNames: [ObjectID: Set<String>] = [:]
    /// The composite types that were read, by name.
    var composites: [String: CompositeType] = [:]

    init(_ archive: KeyedArchive) {
        expressions = ExpressionDecoder(ArchiveReader(archive))
    }

    var reporter: DecodingReporter { reader.reporter }

    mutating func decodeModel(name: String) throws(ModelArchiveError) -> Model {
        let root = reader.archive.root
        guard reader.archive.recognizedClass(of: root) == .model else {
            throw ModelArchiveError(.notAModel, "the archive is not a model: its root is \(reader.describe(root))")
        }
        guard let entities = reader.dictionary(.entities, of: root) else {
            let reason = reader.reporter.findings.last?.message
            throw ModelArchiveError(.notAModel, reason ?? "\(reader.describe(root)) has no NSEntities")
        }
        reader.reportUnknownKeys(of: root)
        compilerXcodeVersion = reader.integer(.compilerXcodeVersion, of: root)
        compilerToolVersion = reader.real(.compilerToolVersion, of: root)
        versionIdentifiers = (reader.strings(.versionIdentifiers, of: root) ?? []).sorted()
        for (key, object) in entities {
            if reader.archive.recognizedClass(of: object) == .entity {
                entityNames[object] = reader.string(.entityName, of: object) ?? key
            } else {
                reader.reporter.malformed("the entity “\(key)” is \(reader.describe(object)), which is not an entity")
            }
        }
        var model = Model(name: name)
        model.settings.userDefinedModelVersionIdentifier = versionIdentifiers.first
        if versionIdentifiers.count > 1 {
            reader.reporter.unsupported(
                "the model has \(versionIdentifiers.count) version identifiers; a source has one")
        }
        var isDecoded: Set<ObjectID> = []
        for (_, object) in entities where isDecoded.insert(object).inserted {
            if let name = entityNames[object] { model.entities.append(decodeEntity(object, name: name)) }
        }
        model.entities.sortByName(\.name)
        model.fetchRequests = decodeFetchRequests(of: root)
        model.configurations = decodeConfigurations(of: root)
        model.composites = Array(composites.values).sortedByName(\.name)
        return model
    }

    private mutating func decodeFetchRequests(of root: ObjectID) -> [FetchRequestTemplate] {
        var requests: [FetchRequestTemplate] = []
        for (name, object) in reader.dictionary(.fetchRequestTemplates, of: root) ?? [] {
            if let request = decodeFetchRequest(object, name: name) { requests.append(request) }
        }
        return requests.sortedByName(\.name)
    }

    private mutating func decodeConfigurations(of root: ObjectID) -> [Configuration] {
        var configurations: [Configuration] = []
        for (name, object) in reader.dictionary(.configurations, of: root) ?? [] {
            guard let members = reader.elements(of: object) else {
                reader.reporter.malformed(
                    "the configuration “\(name)” is \(reader.describe(object)), which is not a set")
                continue
            }
            var configuration = Configuration(name: name)
            let names = members.compactMap { entityNames[$0] }
            configuration.members = names.map { Configuration.Member(entityName: $0) }.sortedByName(\.entityName)
            if names.count < members.count {
                reader.reporter.malformed("the configuration “\(name)” has members that are not entities of the model")
            }
            configurations.append(configuration)
        }
        return configurations.sortedByName(\.name)
    }
}

extension Array {
    /// Sorts by name as Xcode does when it saves: case-insensitively. Names that differ only in case are sorted by code
    /// points, so that the order is deterministic (Documentation/Formats/ModelSource.md, 3.4).
    mutating func sortByName(_ name: KeyPath<Element, String>) {
        self = sortedByName(name)
    }

    /// Returns the elements in the order of `sortByName`.
    func sortedByName(_ name: KeyPath<Element, String>) -> [Element] {
        let keyed = map { (key: $0[keyPath: name].lowercased(), element: $0) }
        return keyed.sorted { first, second in
            if first.key != second.key { return first.key < second.key }
            return first.element[keyPath: name].utf8.lexicographicallyPrecedes(second.element[keyPath: name].utf8)
        }.map(\.element)
    }
}
