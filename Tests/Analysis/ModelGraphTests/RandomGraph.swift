import TestSupport

@testable import ModelGraph

extension LayoutGraph {
    /// Returns a graph of boxes and lines with cycles, loops, multiple lines between the same boxes, and trunks.
    static func random(boxes count: Int, edges: Int, seed: UInt64) -> LayoutGraph {
        var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var graph = LayoutGraph()
        for _ in 0..<count {
            graph.boxes.append(
                Size(
                    width: Double(Int.random(in: 60...240, using: &generator)),
                    height: Double(Int.random(in: 28...260, using: &generator))))
        }
        guard count > 0 else { return graph }
        for child in 1..<max(2, count) where child < count && Int.random(in: 0..<5, using: &generator) == 0 {
            let parent = Int.random(in: 0..<count, using: &generator)
            if parent != child { graph.edges.append(Edge(source: parent, target: child, kind: .trunk)) }
        }
        for _ in 0..<edges {
            let source = Int.random(in: 0..<count, using: &generator)
            let target = Int.random(in: 0..<count, using: &generator)
            var edge = Edge(source: source, target: target)
            edge.sourceLabelWidth = Double(Int.random(in: 0...150, using: &generator))
            edge.targetLabelWidth = Double(Int.random(in: 30...150, using: &generator))
            edge.cutLabelWidth = 150
            graph.edges.append(edge)
        }
        return graph
    }
}
