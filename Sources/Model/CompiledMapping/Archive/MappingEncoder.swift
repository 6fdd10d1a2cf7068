internal import CompiledModel
internal import Diagnostics
package import ModelSchema

extension CompiledMapping {
    /// Returns the mapping model as a `.cdm` file, as Apple's `mapc` writes it (Documentation/Formats/MappingModel.md,
    /// 2). The same mapping model always produces the same bytes.
    ///
    /// - Returns: The file, and an error for each expression that an archive cannot hold.
    package func encoded() -> (bytes: [UInt8], findings: [ModelFinding]) {
        var encoder = MappingEncoder()
        let bytes = encoder.encode(self)
        return (bytes, encoder.findings)
    }
}

/// Writes the archive of a mapping model.
private struct MappingEncoder {
    typealias Reference = KeyedArchiveBuilder.Reference

    private var expressions = ExpressionEncoder(KeyedArchiveBuilder(), for: .mappingModel)
    private(set) var findings: [ModelFinding] = []

    mutating func encode(_ mapping: CompiledMapping) -> [UInt8] {
        let root = expressions.builder.announce()
        var entities: [Reference] = []
        // Of several mappings with the same name, the last is found by the name.
        var byName: [String: Reference] = [:]
        for entity in mapping.entityMappings {
            let reference = encode(entity)
            entities.append(reference)
            byName[entity.name] = reference
        }
        let list = expressions.builder.add(.array, elements: entities)
        let names = byName.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { (key: $0.key, value: $0.value) }
        let dictionary = expressions.builder.add(.mutableDictionary, entries: names)
        expressions.builder.define(
            root, archivedClass: .mappingModel,
            values: [(.entityMappings, .reference(list)), (.entityMappingsByName, .reference(dictionary))])
        return expressions.builder.finish(root: root)
    }

    private mutating func encode(_ mapping: CompiledMapping.EntityMapping) -> Reference {
        let values: [(ArchiveKey, KeyedArchiveBuilder.Value)] = [
            (.mappingName, .reference(expressions.builder.add(mapping.name))),
            (.mappingType, .integer(mapping.type.rawValue)),
            (.sourceEntityName, .reference(expressions.builder.add(mapping.sourceEntityName))),
            (.sourceEntityHash, .reference(add(mapping.sourceEntityHash))),
            (.mappedEntityName, .reference(expressions.builder.add(mapping.destinationEntityName))),
            (.destinationEntityHash, .reference(add(mapping.destinationEntityHash))),
            (.sourceExpression, .reference(encode(mapping.sourceExpression, at: mapping.origin))),
            (.attributeMappings, .reference(encode(mapping.attributeMappings))),
            (.relationshipMappings, .reference(encode(mapping.relationshipMappings))),
            (.migrationPolicyClassName, .reference(expressions.builder.add(mapping.policyClassName))),
            (.userInfo, .reference(encode(mapping.userInfo))),
        ]
        return expressions.builder.add(.entityMapping, values)
    }

    private mutating func encode(_ mappings: [CompiledMapping.PropertyMapping]) -> Reference {
        var references: [Reference] = []
        for mapping in mappings {
            let values: [(ArchiveKey, KeyedArchiveBuilder.Value)] = [
                (.mappedPropertyName, .reference(expressions.builder.add(mapping.name))),
                (.valueExpression, .reference(encode(mapping.value, at: mapping.origin))),
                (.propertyTransforms, .reference(.null)),
                (.userInfo, .reference(encode(mapping.userInfo))),
            ]
            references.append(expressions.builder.add(.propertyMapping, values))
        }
        return expressions.builder.add(.array, elements: references)
    }

    private mutating func add(_ hash: VersionHash?) -> Reference {
        hash.map { expressions.builder.add($0.bytes) } ?? .null
    }

    private mutating func encode(_ userInfo: [UserInfoEntry]?) -> Reference {
        userInfo.map { expressions.builder.add(userInfo: $0) } ?? .null
    }

    private mutating func encode(_ expression: MappingExpression?, at origin: ElementOrigin?) -> Reference {
        switch expression {
        case nil: return .null
        case .tree(let tree):
            let reference = expressions.encode(tree)
            for problem in expressions.problems {
                switch problem {
                case .unproven(let what):
                    findings.append(
                        ModelFinding(
                            .warning, rule: .unprovenArchiveForm, "\(what) is compiled to an unproven form",
                            at: origin,
                            why: "No output of Apple's compiler with it was available for comparison."))
                case .unsupported(let what):
                    findings.append(
                        ModelFinding(.error, rule: .unsupportedPredicate, "\(what) cannot be compiled", at: origin))
                }
            }
            expressions.problems = []
            return reference
        case .archived(let archived):
            let copy = (try? KeyedArchive(archived.bytes)).flatMap {
                expressions.builder.add(copyOf: $0.root, from: $0)
            }
            if copy == nil {
                findings.append(
                    ModelFinding(
                        .error, rule: .unreadableMappingExpression, "an expression cannot be copied", at: origin))
            }
            return copy ?? .null
        }
    }
}
