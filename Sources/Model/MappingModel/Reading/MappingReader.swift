internal import CompiledMapping
internal import Diagnostics
internal import ModelSchema

/// Reads a mapping model from the objects of its XML store (Documentation/Formats/MappingModel.md, 1.2).
struct MappingReader {
    let store: XMLStoreDocument
    var findings: FindingCollector
    /// Whether a part of the file could not be read, so that missing objects are not reported.
    let isIncomplete: Bool
    /// The objects that were reached from the mapping model.
    private var reached: Set<String> = []

    private static let model = "XDDEVMAPPINGMODEL"
    private static let entity = "XDDEVENTITYMAPPING"
    private static let attribute = "XDDEVATTRIBUTEMAPPING"
    private static let relationship = "XDDEVRELATIONSHIPMAPPING"

    /// The names of the values of each type of object.
    private static let vocabulary: [String: Set<String>] = [
        model: [
            "sourcemodelpath", "destinationmodelpath", "sourcemodeldata", "destinationmodeldata", "entitymappings",
        ],
        entity: [
            "name", "sourcename", "destinationname", "mappingnumber", "mappingtypename", "autogenerateexpression",
            "migrationpolicyclassname", "sourcefilterpredicatestring", "sourceexpressiondata", "userinfodata",
            "mappingmodel", "attributemappings", "relationshipmappings",
        ],
        attribute: ["name", "valueexpressiondata", "userinfodata", "entitymapping"],
        relationship: [
            "name", "valueexpressiondata", "userinfodata", "entitymapping", "autogenerateexpression", "sourcekeypath",
            "sourcemappingname",
        ],
    ]

    init(store: XMLStoreDocument, findings: FindingCollector, isIncomplete: Bool) {
        self.store = store
        self.findings = findings
        self.isIncomplete = isIncomplete
    }

    /// Reads the mapping model, or returns `nil` if the file has none.
    mutating func read(name: String) -> MappingSource? {
        let models = store.objects.filter { $0.type == Self.model }
        guard let model = models.first else { return nil }
        for other in models.dropFirst() {
            findings.malformed("the file has a second XDDEVMAPPINGMODEL object, “\(other.id)”", at: other.origin)
            reached.insert(other.id)
        }
        checkVocabulary()
        reached.insert(model.id)
        var source = MappingSource(
            name: name, sourceModel: copy("source", of: model), destinationModel: copy("destination", of: model))
        for object in store.objects("entitymappings", of: model, type: Self.entity, &findings) {
            guard reach(object, from: "entitymappings") else { continue }
            source.entityMappings.append(entityMapping(object, of: model))
        }
        reportOrphans()
        return source
    }

    private mutating func checkVocabulary() {
        for object in store.objects {
            guard let names = Self.vocabulary[object.type] else {
                findings.add(
                    .note, rule: .unknownXML,
                    message: "objects of type “\(object.type)” are unknown and have no effect",
                    at: object.origin)
                reached.insert(object.id)
                continue
            }
            let values =
                object.attributes.map { ($0.key, $0.value.origin) }
                + object.relationships.map { ($0.key, $0.value.origin) }
            for (name, origin) in values.sorted(by: { $0.1.index < $1.1.index }) where !names.contains(name) {
                findings.add(
                    .note, rule: .unknownXML, message: "“\(name)” of an \(object.type) is unknown and has no effect",
                    at: origin)
            }
        }
    }

    /// Records that an object belongs to the mapping model. Returns false and reports an error if it was already
    /// reached.
    private mutating func reach(_ object: XMLStoreDocument.Object, from name: String) -> Bool {
        guard reached.insert(object.id).inserted else {
            findings.malformed("the object “\(object.id)” is listed more than once in “\(name)”", at: object.origin)
            return false
        }
        return true
    }

    private mutating func checkOwner(
        _ name: String, of object: XMLStoreDocument.Object, is owner: XMLStoreDocument.Object
    ) {
        guard let (ids, origin) = object.relationships[name], ids != [owner.id] else { return }
        let found = ids.isEmpty ? "nothing" : "“\(ids.joined(separator: " "))”"
        findings.add(
            .warning, rule: .malformedMapping,
            message: "“\(name)” of “\(object.id)” refers to \(found) instead of “\(owner.id)”",
            at: origin, why: "Both sides of a relationship must agree; the list of “\(owner.id)” is used.")
    }

    private mutating func reportOrphans() {
        let orphans = store.objects.filter { !reached.contains($0.id) }
        guard let first = orphans.first, !isIncomplete else { return }
        let count = orphans.count == 1 ? "1 object is" : "\(orphans.count) objects are"
        findings.add(
            .note, rule: .orphanedMapping, message: "\(count) not part of the mapping model", at: first.origin,
            why: "Xcode leaves the objects of deleted mappings in the file. They have no effect.")
    }

    private mutating func copy(_ side: String, of model: XMLStoreDocument.Object) -> MappingSource.ModelCopy {
        MappingSource.ModelCopy(
            path: store.nonEmptyString(side + "modelpath", of: model, &findings),
            data: store.data(side + "modeldata", of: model, &findings),
            origin: model.attributes[side + "modeldata"]?.origin ?? model.attributes[side + "modelpath"]?.origin
                ?? model.origin)
    }

    private mutating func entityMapping(
        _ object: XMLStoreDocument.Object, of model: XMLStoreDocument.Object
    ) -> MappingSource.EntityMapping {
        checkOwner("mappingmodel", of: object, is: model)
        var mapping = MappingSource.EntityMapping(
            number: store.integer("mappingnumber", of: object, &findings) ?? 0,
            sourceName: store.nonEmptyString("sourcename", of: object, &findings),
            destinationName: store.nonEmptyString("destinationname", of: object, &findings))
        mapping.name = store.nonEmptyString("name", of: object, &findings)
        mapping.policyClassName = store.nonEmptyString("migrationpolicyclassname", of: object, &findings)
        mapping.sourceFilter = store.nonEmptyString("sourcefilterpredicatestring", of: object, &findings)
        mapping.sourceExpression = expression("sourceexpressiondata", of: object)
        mapping.userInfo = userInfo(of: object)
        mapping.origin = object.origin
        mapping.attributeMappings = propertyMappings("attributemappings", Self.attribute, of: object)
        mapping.relationshipMappings = propertyMappings("relationshipmappings", Self.relationship, of: object)
        return mapping
    }

    private mutating func propertyMappings(
        _ list: String, _ type: String, of entity: XMLStoreDocument.Object
    ) -> [MappingSource.PropertyMapping] {
        var result: [MappingSource.PropertyMapping] = []
        for object in store.objects(list, of: entity, type: type, &findings) {
            guard reach(object, from: list) else { continue }
            checkOwner("entitymapping", of: object, is: entity)
            guard let name = store.nonEmptyString("name", of: object, &findings) else {
                if !isIncomplete {
                    findings.malformed("the property mapping “\(object.id)” has no name", at: object.origin)
                }
                continue
            }
            var mapping = MappingSource.PropertyMapping(
                name: name, value: expression("valueexpressiondata", of: object))
            if type == Self.relationship {
                mapping.sourceKeyPath = store.nonEmptyString("sourcekeypath", of: object, &findings)
                mapping.sourceMappingName = store.nonEmptyString("sourcemappingname", of: object, &findings)
            }
            mapping.userInfo = userInfo(of: object)
            mapping.origin = object.origin
            result.append(mapping)
        }
        return result
    }

    private mutating func expression(_ name: String, of object: XMLStoreDocument.Object) -> MappingExpression? {
        guard let bytes = store.data(name, of: object, &findings) else { return nil }
        let origin = object.attributes[name]?.origin
        do throws(UnreadableExpression) {
            let expression = try ExpressionArchive.expression(in: bytes)
            if case .archived(let archived) = expression {
                findings.add(
                    .note, rule: .unreadableMappingExpression,
                    message: "an expression has no format string: \(archived.reason)",
                    at: origin, why: "It is compiled as it is.")
            }
            return expression
        } catch {
            findings.add(
                .error, rule: .unreadableMappingExpression, message: "an expression cannot be read: \(error.message)",
                at: origin)
            return nil
        }
    }

    private mutating func userInfo(of object: XMLStoreDocument.Object) -> [UserInfoEntry]? {
        guard let bytes = store.data("userinfodata", of: object, &findings) else { return nil }
        do throws(UnreadableExpression) {
            return try ExpressionArchive.userInfo(in: bytes)
        } catch {
            findings.malformed(
                "the user info cannot be read: \(error.message)", at: object.attributes["userinfodata"]?.origin)
            return nil
        }
    }
}
