import Testing

@testable import ModelGraph

/// The individual steps of the layout.
@Suite struct LayoutStepTests {
    private static func graph(_ boxes: Int, _ edges: [(Int, Int)], trunks: [(Int, Int)] = []) -> LayoutGraph {
        var graph = LayoutGraph()
        graph.boxes = Array(repeating: Size(width: 100, height: 50), count: boxes)
        graph.edges = trunks.map { LayoutGraph.Edge(source: $0, target: $1, kind: .trunk) }
        graph.edges += edges.map { LayoutGraph.Edge(source: $0, target: $1) }
        return graph
    }

    @Test func cyclesAreBrokenAtOneEdge() {
        let graph = Self.graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
        let ranks = CycleBreaking(graph).ranks()
        #expect(ranks.sorted() == [0, 1, 2, 3])
        #expect(graph.edges.count { ranks[$0.source] > ranks[$0.target] } == 1)
    }

    @Test func relationshipsDoNotReverseInheritance() {
        let graph = Self.graph(3, [(1, 0), (1, 0), (2, 0), (2, 1)], trunks: [(0, 1), (1, 2)])
        let ranks = CycleBreaking(graph).ranks()
        #expect(ranks[0] < ranks[1] && ranks[1] < ranks[2])
    }

    @Test func childrenAreRightOfTheirParents() {
        for seed in 1...20 {
            var graph = LayoutGraph.random(boxes: 30, edges: 30, seed: UInt64(seed))
            // A box has at most one parent, which precedes it.
            graph.edges = graph.edges.filter { $0.kind == .line || $0.source < $0.target }
            let ranks = CycleBreaking(graph).ranks()
            var assignment = LayerAssignment(graph, ranks: ranks)
            let layers = assignment.assign()
            #expect(Set(layers) == Set(0...(layers.max() ?? 0)))
            for edge in graph.edges where edge.source != edge.target {
                #expect(layers[edge.source] != layers[edge.target])
                if edge.kind == .trunk, ranks[edge.source] < ranks[edge.target] {
                    #expect(layers[edge.source] < layers[edge.target])
                }
            }
        }
    }

    @Test func avoidableCrossingsAreRemoved() {
        let graph = Self.graph(6, [(0, 5), (1, 4), (2, 3)])
        let proper = ProperGraph(graph, layers: [0, 0, 0, 1, 1, 1])
        var reduction = CrossingReduction(proper)
        let layers = reduction.reduce()
        let partners = layers[0].map { 5 - $0 }
        #expect(layers[1] == partners)
    }

    @Test func aTrunkSharesItsBends() {
        let graph = Self.graph(4, [], trunks: [(0, 1), (0, 2), (0, 3)])
        let proper = ProperGraph(graph, layers: [0, 1, 3, 3])
        #expect(proper.items.count { $0.box == nil } == 2)
        #expect(Set(proper.segments.map(\.net)).count == 1)
    }

    @Test func veryLongEdgesAreSplit() {
        let count = 700
        var edges = (1..<count).map { ($0 - 1, $0) }
        edges += (0..<100).map { ($0, count - 1 - $0) }
        let proper = ProperGraph(Self.graph(count, edges), layers: Array(0..<count))
        #expect(proper.items.count <= count + ProperGraph.bendLimit)
        let cut = proper.paths.count { if case .cut = $0 { true } else { false } }
        #expect(cut > 0 && cut < 100)
    }

    @Test func isotonicFitPoolsViolators() {
        #expect(Isotonic.fit([1, 3, 2, 4], weights: [1, 1, 1, 1]) == [1, 2.5, 2.5, 4])
        #expect(Isotonic.fit([5, 1], weights: [3, 1]) == [4, 4])
        #expect(Isotonic.fit([], weights: []).isEmpty)
    }

    @Test func spreadKeepsDistanceAndBounds() {
        #expect(Isotonic.spread([10, 10, 10], distance: 5, from: 0, to: 100) == [5, 10, 15])
        #expect(Isotonic.spread([0, 0, 0], distance: 5, from: 0, to: 100) == [0, 5, 10])
        #expect(Isotonic.spread([99, 99], distance: 5, from: 0, to: 20) == [15, 20])
    }

    @Test func nestedNetsDoNotCross() {
        // Both go down; the lower one must turn first.
        let routing = ChannelRouting([
            ChannelRouting.Net(left: [0], right: [100]), ChannelRouting.Net(left: [50], right: [150]),
        ])
        #expect(routing.tracks == [1, 0])
        let apart = ChannelRouting([
            ChannelRouting.Net(left: [0], right: [20]), ChannelRouting.Net(left: [50], right: [70]),
            ChannelRouting.Net(left: [90], right: [90]),
        ])
        #expect(apart.count == 1)
    }
}
