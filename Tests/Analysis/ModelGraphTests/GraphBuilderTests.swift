import ModelGraph
import ModelSchema
import Testing

/// The graph of a model.
@Suite struct GraphBuilderTests {
    @Test func aRelationshipAndItsInverseAreOneLine() throws {
        let graph = ModelGraph(SampleModel.books, title: "Books")
        #expect(graph.entities.map(\.name) == ["Author", "Book", "Item"])
        #expect(graph.inheritances == [GraphInheritance(parent: 2, child: 1)])
        #expect(graph.relationships.count == 2)
        let line = try #require(graph.relationships.first)
        #expect(line.source == 0 && line.target == 1)
        #expect(line.forward.name == "books" && line.forward.cardinality == "0..*" && line.forward.isOrdered)
        #expect(line.inverse?.name == "author" && line.inverse?.cardinality == "1")
    }

    @Test func aRelationshipCanBeItsOwnInverse() {
        var model = Model(name: "M")
        var person = Entity(name: "Person")
        var friends = Relationship(name: "friends", destinationName: "Person")
        friends.inverseName = "friends"
        person.relationships = [friends]
        model.entities = [person]
        let graph = ModelGraph(model, title: "M")
        #expect(graph.relationships.count == 1)
        #expect(graph.relationships.first?.inverse?.name == "friends")
    }

    @Test func inversesMustMatch() {
        var model = Model(name: "M")
        var a = Entity(name: "A")
        var b = Entity(name: "B")
        var toB = Relationship(name: "b", destinationName: "B")
        toB.inverseName = "a"
        a.relationships = [toB]
        b.relationships = [Relationship(name: "a", destinationName: "A")]
        model.entities = [a, b]
        #expect(ModelGraph(model, title: "M").relationships.map(\.inverse) == [nil, nil])
    }

    @Test func missingEntitiesGetABox() {
        var model = Model(name: "M")
        var a = Entity(name: "A")
        a.parentName = "Gone"
        a.relationships = [
            Relationship(name: "x", destinationName: "Gone"), Relationship(name: "y", destinationName: nil),
            Relationship(name: "z", destinationName: ""),
        ]
        model.entities = [a]
        let graph = ModelGraph(model, title: "M")
        #expect(graph.entities.map(\.name) == ["A", "Gone", ""])
        #expect(graph.entities.map(\.role) == [.shown, .missing, .missing])
        #expect(graph.relationships.map(\.target) == [1, 2, 2])
        #expect(graph.inheritances.map(\.parent) == [1])
    }

    @Test func namedEntitiesAreShownWithTheirNeighbors() {
        var model = SampleModel.books
        model.entities.append(Entity(name: "Far"))
        let graph = ModelGraph(model, title: "M", options: GraphOptions(entityNames: ["Author"]))
        #expect(graph.entities.map(\.name) == ["Author", "Book"])
        #expect(graph.entities.map(\.role) == [.shown, .neighbor])
        #expect(graph.entities.map(\.rows.isEmpty) == [false, true])
        #expect(graph.relationships.count == 1)
        #expect(graph.inheritances.isEmpty)
    }

    @Test func attributesCanBeHidden() {
        let graph = ModelGraph(SampleModel.books, title: "M", options: GraphOptions(showsAttributes: false))
        #expect(graph.entities.allSatisfy { $0.rows.isEmpty })
    }

    @Test(arguments: [
        (false, false, 0, 0, "1"), (false, true, 0, 1, "0..1"), (true, true, 0, 0, "0..*"), (true, false, 0, 0, "1..*"),
        (true, false, 2, 5, "2..5"), (true, true, 2, 5, "0..5"), (true, false, 3, 3, "3"), (true, false, 2, 0, "2..*"),
    ])
    func cardinalityFollowsOptionalityAndCounts(
        isToMany: Bool, isOptional: Bool, minimum: Int, maximum: Int, expected: String
    ) {
        var end = GraphRelationship.End(name: "r")
        end.isToMany = isToMany
        end.isOptional = isOptional
        end.minimum = minimum
        end.maximum = maximum
        #expect(end.cardinality == expected)
    }
}
