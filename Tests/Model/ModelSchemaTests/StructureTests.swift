import Diagnostics
import ModelSchema
import Testing

@Suite struct StructureTests {
    private func model(_ entities: [Entity]) -> Model {
        var model = Model(name: "M")
        model.entities = entities
        for index in model.entities.indices { model.entities[index].origin = ElementOrigin(index: index) }
        return model
    }

    private func entity(_ name: String, parent: String? = nil, attributes: [String] = []) -> Entity {
        var entity = Entity(name: name)
        entity.parentName = parent
        entity.attributes = attributes.map { Attribute(name: $0, type: .string) }
        return entity
    }

    private func rules(_ entities: [Entity]) -> [RuleID] { model(entities).findings(at: .loadable).map(\.rule) }

    @Test func validModelsHaveNoFindings() {
        var book = entity("Book", parent: "Thing", attributes: ["title"])
        book.relationships = [Relationship(name: "author", destinationName: "Author")]
        #expect(rules([entity("Thing", attributes: ["id"]), book, entity("Author")]).isEmpty)
    }

    @Test func findsEachProblem() {
        #expect(rules([entity("A"), entity("A")]) == [.duplicateName])
        #expect(rules([entity("A", attributes: ["x", "x"])]) == [.duplicateName])
        #expect(rules([entity("A", parent: "B")]) == [.unknownParent])
        #expect(rules([entity("")]) == [.missingName])
        #expect(rules([entity("A", attributes: [""])]) == [.missingName])
        var nowhere = entity("A")
        nowhere.relationships = [Relationship(name: "r", destinationName: nil)]
        #expect(rules([nowhere]) == [.missingDestination])
        nowhere.relationships = [Relationship(name: "r", destinationName: "B")]
        #expect(rules([nowhere]) == [.unknownDestination])
    }

    @Test func findsPropertiesThatAnAncestorDeclares() {
        let findings = model([
            entity("C", parent: "B", attributes: ["x", "z"]), entity("B", parent: "A", attributes: ["y"]),
            entity("A", attributes: ["x"]), entity("D", attributes: ["x"]),
        ]).findings(at: .loadable)
        #expect(findings.map(\.rule) == [.duplicateName])
        #expect(findings.first?.message == "“C” already inherits a property “x” from “A”")
    }

    @Test func reportsACycleOnceAtItsFirstEntity() {
        let findings = model([
            entity("X", parent: "B"), entity("A", parent: "C"), entity("B", parent: "A"), entity("C", parent: "B"),
        ]).findings(at: .loadable)
        #expect(findings.map(\.rule) == [.inheritanceCycle])
        #expect(findings.first?.origin == ElementOrigin(index: 1))
        #expect(rules([entity("A", parent: "A")]) == [.inheritanceCycle])
    }

    private func chain(_ count: Int) -> [Entity] {
        (0..<count).map { entity("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)", attributes: ["a\($0)"]) }
    }

    @Test func chainsOfParentsUpToTheLimitAreValid() {
        let limit = Model.maximumInheritanceDepth
        #expect(rules(chain(limit + 1)).isEmpty)
        #expect(rules(chain(limit + 2)) == [.inheritanceTooDeep])
    }

    @Test func chainsOfParentsBeyondTheLimitAreReportedOnce() {
        let findings = model(chain(20_000)).findings(at: .loadable)
        #expect(findings.map(\.rule) == [.inheritanceTooDeep])
        #expect(findings.first?.message == "“E1001” has more than 1000 ancestors")
        let cycle = [entity("E0", parent: "E19999")] + chain(20_000).dropFirst()
        #expect(rules(cycle) == [.inheritanceCycle])
    }
}
