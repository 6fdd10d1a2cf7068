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

    private func rules(_ entities: [Entity]) -> [String] { model(entities).structuralFindings().map(\.rule) }

    @Test func aSoundModelHasNoFindings() {
        var book = entity("Book", parent: "Thing", attributes: ["title"])
        book.relationships = [Relationship(name: "author", destinationName: "Author")]
        #expect(rules([entity("Thing", attributes: ["id"]), book, entity("Author")]).isEmpty)
    }

    @Test func findsEachProblem() {
        #expect(rules([entity("A"), entity("A")]) == ["duplicate-name"])
        #expect(rules([entity("A", attributes: ["x", "x"])]) == ["duplicate-name"])
        #expect(rules([entity("A", parent: "B")]) == ["unknown-parent"])
        #expect(rules([entity("")]) == ["missing-name"])
        #expect(rules([entity("A", attributes: [""])]) == ["missing-name"])
        var nowhere = entity("A")
        nowhere.relationships = [Relationship(name: "r", destinationName: nil)]
        #expect(rules([nowhere]) == ["missing-destination"])
        nowhere.relationships = [Relationship(name: "r", destinationName: "B")]
        #expect(rules([nowhere]) == ["unknown-destination"])
    }

    @Test func findsAPropertyThatAnAncestorHas() {
        let findings = model([
            entity("C", parent: "B", attributes: ["x", "z"]), entity("B", parent: "A", attributes: ["y"]),
            entity("A", attributes: ["x"]), entity("D", attributes: ["x"]),
        ]).structuralFindings()
        #expect(findings.map(\.rule) == ["duplicate-name"])
        #expect(findings.first?.message == "“C” inherits a property “x” from “A” already")
    }

    @Test func reportsACircleOnceAndAtItsFirstEntity() {
        let findings = model([
            entity("X", parent: "B"), entity("A", parent: "C"), entity("B", parent: "A"), entity("C", parent: "B"),
        ]).structuralFindings()
        #expect(findings.map(\.rule) == ["inheritance-cycle"])
        #expect(findings.first?.origin == ElementOrigin(index: 1))
        #expect(rules([entity("A", parent: "A")]) == ["inheritance-cycle"])
    }

    @Test func aLongChainOfParentsIsNoProblem() {
        let count = 20_000
        let chain = (0..<count).map { entity("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)", attributes: ["a\($0)"]) }
        #expect(rules(chain).isEmpty)
        #expect(rules([entity("E0", parent: "E\(count - 1)")] + chain.dropFirst()) == ["inheritance-cycle"])
    }
}
