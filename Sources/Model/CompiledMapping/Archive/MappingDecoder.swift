package import CompiledModel
internal import Diagnostics
package import ModelSchema

/// A `.cdm` file that was read.
package struct DecodedMapping: Sendable {
    /// The mapping model, or as much of it as could be read.
    package let mapping: CompiledMapping
    /// The findings from reading: an error for each malformed part, which was left out. A message names the archive's
    /// object and key.
    package let findings: [ModelFinding]

    /// Reads a compiled mapping model.
    ///
    /// - Throws: `ModelArchiveError` if the bytes do not contain a mapping model.
    package init(_ bytes: [UInt8]) throws(ModelArchiveError) {
        var decoder = MappingDecoder(try KeyedArchive(bytes))
        mapping = try decoder.decode()
        findings = decoder.findings
    }
}

/// Reads the archive of a mapping model (Documentation/Formats/MappingModel.md, 2).
private struct MappingDecoder {
    typealias ObjectID = KeyedArchive.ObjectID

    private var decoder: ExpressionDecoder
    private var ownFindings: [ModelFinding] = []

    init(_ archive: KeyedArchive) {
        decoder = ExpressionDecoder(ArchiveReader(archive))
    }

    var findings: [ModelFinding] { decoder.reader.reporter.findings + ownFindings }

    mutating func decode() throws(ModelArchiveError) -> CompiledMapping {
        let root = decoder.reader.archive.root
        guard decoder.reader.archive.recognizedClass(of: root) == .mappingModel else {
            throw ModelArchiveError(
                .notAModel, "the archive is not a mapping model: its root is \(decoder.reader.describe(root))")
        }
        guard let entities = decoder.reader.list(.entityMappings, of: root) else {
            throw ModelArchiveError(.notAModel, "\(decoder.reader.describe(root)) has no NSEntityMappings")
        }
        decoder.reader.reportUnknownKeys(of: root)
        var mapping = CompiledMapping()
        for entity in entities {
            guard decoder.reader.archive.recognizedClass(of: entity) == .entityMapping else {
                decoder.reader.reporter.malformed("\(decoder.reader.describe(entity)) is not an entity mapping")
                continue
            }
            mapping.entityMappings.append(entityMapping(entity))
        }
        return mapping
    }

    private mutating func entityMapping(_ object: ObjectID) -> CompiledMapping.EntityMapping {
        decoder.reader.reportUnknownKeys(of: object)
        let number = decoder.reader.integer(.mappingType, of: object) ?? 0
        let type = CompiledMapping.MappingType(rawValue: number)
        if type == nil {
            decoder.reader.reporter.malformed(
                "\(decoder.reader.describe(object)) has the unknown NSMappingType \(number)")
        }
        var mapping = CompiledMapping.EntityMapping(
            name: decoder.reader.string(.mappingName, of: object) ?? "", type: type ?? .undefined)
        mapping.sourceEntityName = decoder.reader.string(.sourceEntityName, of: object)
        mapping.destinationEntityName = decoder.reader.string(.mappedEntityName, of: object)
        mapping.sourceEntityHash = hash(.sourceEntityHash, of: object)
        mapping.destinationEntityHash = hash(.destinationEntityHash, of: object)
        mapping.sourceExpression = expression(.sourceExpression, of: object)
        mapping.policyClassName = decoder.reader.string(.migrationPolicyClassName, of: object)
        mapping.userInfo = userInfo(of: object)
        mapping.attributeMappings = propertyMappings(.attributeMappings, of: object)
        mapping.relationshipMappings = propertyMappings(.relationshipMappings, of: object)
        return mapping
    }

    private mutating func propertyMappings(
        _ key: ArchiveKey, of object: ObjectID
    ) -> [CompiledMapping.PropertyMapping] {
        var mappings: [CompiledMapping.PropertyMapping] = []
        for element in decoder.reader.list(key, of: object) ?? [] {
            guard decoder.reader.archive.recognizedClass(of: element) == .propertyMapping,
                let name = decoder.reader.string(.mappedPropertyName, of: element)
            else {
                decoder.reader.reporter.malformed(
                    "\(decoder.reader.describe(element)) is not a property mapping, or has no name")
                continue
            }
            decoder.reader.reportUnknownKeys(of: element)
            var mapping = CompiledMapping.PropertyMapping(name: name, value: expression(.valueExpression, of: element))
            mapping.userInfo = userInfo(of: element)
            mappings.append(mapping)
        }
        return mappings
    }

    private mutating func hash(_ key: ArchiveKey, of object: ObjectID) -> VersionHash? {
        guard let bytes = decoder.reader.data(key, of: object) else { return nil }
        guard let hash = VersionHash(bytes: bytes) else {
            decoder.reader.wrong(key, of: object, expected: "a version hash of 32 bytes")
            return nil
        }
        return hash
    }

    private mutating func expression(_ key: ArchiveKey, of object: ObjectID) -> MappingExpression? {
        guard let expression = decoder.reader.object(key, of: object) else { return nil }
        do throws(UnreadableExpression) {
            return try ExpressionArchive.expression(expression, &decoder)
        } catch {
            ownFindings.append(
                ModelFinding(
                    .error, rule: .unreadableMappingExpression,
                    "\(decoder.reader.describe(object)): an expression cannot be read: \(error.message)", at: nil))
            return nil
        }
    }

    private mutating func userInfo(of object: ObjectID) -> [UserInfoEntry]? {
        guard let dictionary = decoder.reader.object(.userInfo, of: object) else { return nil }
        do throws(UnreadableExpression) {
            return try ExpressionArchive.userInfo(dictionary, &decoder.reader)
        } catch {
            decoder.reader.reporter.malformed("\(decoder.reader.describe(object)): the user info: \(error.message)")
            return nil
        }
    }
}
