/// Puts every box in a column so that lines run from left to right, no column is much higher than the others, and lines
/// are short.
struct LayerAssignment {
    private let graph: LayoutGraph
    private let ranks: [Int]
    private var before: [[(box: Int, weight: Int)]]
    private var after: [[(box: Int, weight: Int)]]
    /// The height that a column should not exceed.
    private let limit: Double
    private var layers: [Int]
    private var loads: [Double] = []

    /// - Parameter ranks: the order in which lines run, by box.
    init(_ graph: LayoutGraph, ranks: [Int]) {
        self.graph = graph
        self.ranks = ranks
        before = Array(repeating: [], count: graph.boxes.count)
        after = before
        layers = Array(repeating: 0, count: graph.boxes.count)
        for edge in graph.edges where edge.source != edge.target {
            let forward = ranks[edge.source] < ranks[edge.target]
            let (left, right) = forward ? (edge.source, edge.target) : (edge.target, edge.source)
            let weight = edge.kind == .trunk ? 2 : 1
            before[right].append((left, weight))
            after[left].append((right, weight))
        }
        limit = Self.heightLimit(graph)
    }

    /// The height that makes the whole about half as wide again as high.
    private static func heightLimit(_ graph: LayoutGraph) -> Double {
        let area = graph.boxes.reduce(0) { $0 + ($1.width + 150) * ($1.height + Spacing.box) }
        let tallest = graph.boxes.reduce(0) { max($0, $1.height) }
        return max(tallest + Spacing.box, (area / 1.5).squareRoot() * 1.1)
    }

    /// The column of each box, from 0 on without gaps.
    mutating func assign() -> [Int] {
        let order = graph.boxes.indices.sorted { ranks[$0] < ranks[$1] }
        for box in order {
            let earliest = before[box].reduce(0) { max($0, layers[$1.box] + 1) }
            put(box, in: firstLayer(from: earliest, for: box))
        }
        for round in 0..<8 {
            var isSettled = true
            for box in round.isMultiple(of: 2) ? order.reversed() : order where improve(box) { isSettled = false }
            if isSettled { break }
        }
        return withoutGaps()
    }

    private func height(_ box: Int) -> Double { graph.boxes[box].height + Spacing.box }

    private mutating func put(_ box: Int, in layer: Int) {
        while loads.count <= layer { loads.append(0) }
        layers[box] = layer
        loads[layer] += height(box)
    }

    private func firstLayer(from earliest: Int, for box: Int) -> Int {
        var layer = earliest
        while layer < loads.count, loads[layer] > 0, loads[layer] + height(box) > limit { layer += 1 }
        return layer
    }

    /// Moves a box to where its lines are shortest. Gives whether it moved.
    private mutating func improve(_ box: Int) -> Bool {
        let lowest = before[box].reduce(0) { max($0, layers[$1.box] + 1) }
        let highest = after[box].reduce(loads.count - 1) { min($0, layers[$1.box] - 1) }
        guard lowest < highest, !(before[box].isEmpty && after[box].isEmpty) else { return false }
        func length(_ layer: Int) -> Int {
            before[box].reduce(0) { $0 + $1.weight * (layer - layers[$1.box]) }
                + after[box].reduce(0) { $0 + $1.weight * (layers[$1.box] - layer) }
        }
        let current = layers[box]
        // The length falls or rises steadily over the columns between the neighbours.
        let step = length(lowest) < length(highest) ? 1 : -1
        guard length(lowest) != length(highest) else { return false }
        var layer = step == 1 ? lowest : highest
        while layer != current {
            if loads[layer] + height(box) <= limit {
                loads[current] -= height(box)
                put(box, in: layer)
                return true
            }
            layer += step
        }
        return false
    }

    private func withoutGaps() -> [Int] {
        var isUsed = Array(repeating: false, count: loads.count)
        for layer in layers { isUsed[layer] = true }
        var number = 0
        let numbers = isUsed.map { used in
            defer { number += used ? 1 : 0 }
            return number
        }
        return layers.map { numbers[$0] }
    }
}
