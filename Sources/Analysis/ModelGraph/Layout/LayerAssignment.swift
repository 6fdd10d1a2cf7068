/// Assigns every box to a column so that parents are left of their children, boxes that a line connects are in
/// different columns, no column is much taller than the others, and lines are short.
///
/// Initially, lines run from left to right. But relationships have no preferred direction, so every box may then move
/// to where its lines are shortest; only a parent stays left of its children.
struct LayerAssignment {
    private struct Neighbor {
        var box: Int
        /// The side to which the neighbor belongs: 1 for right, -1 for left.
        var side: Int
        /// Whether it must be on that side.
        var isFixed: Bool
    }

    private let graph: LayoutGraph
    private let ranks: [Int]
    private var neighbors: [[Neighbor]]
    /// The height that a column should not exceed.
    private let limit: Double
    private var layers: [Int]
    private var loads: [Double] = []

    /// The maximum distance of columns that are considered.
    private static let reach = 24
    private static let rounds = 12

    /// - Parameter ranks: The rank of each box; lines run from lower to higher ranks.
    init(_ graph: LayoutGraph, ranks: [Int]) {
        self.graph = graph
        self.ranks = ranks
        neighbors = Array(repeating: [], count: graph.boxes.count)
        layers = Array(repeating: 0, count: graph.boxes.count)
        for edge in graph.edges where edge.source != edge.target {
            let forward = ranks[edge.source] < ranks[edge.target]
            let (left, right) = forward ? (edge.source, edge.target) : (edge.target, edge.source)
            let isFixed = edge.kind == .trunk && forward
            neighbors[left].append(Neighbor(box: right, side: 1, isFixed: isFixed))
            neighbors[right].append(Neighbor(box: left, side: -1, isFixed: isFixed))
        }
        limit = Self.heightLimit(graph)
    }

    /// Returns the column height that makes the whole about one and a half times as wide as high.
    private static func heightLimit(_ graph: LayoutGraph) -> Double {
        let area = graph.boxes.reduce(0) { $0 + ($1.width + 150) * ($1.height + Spacing.box) }
        let tallest = graph.boxes.reduce(0) { max($0, $1.height) }
        return max(tallest + Spacing.box, (area / 1.5).squareRoot() * 1.1)
    }

    /// Returns the column of each box, from 0 without gaps.
    mutating func assign() -> [Int] {
        let order = graph.boxes.indices.sorted { ranks[$0] < ranks[$1] }
        for box in order {
            let earliest = neighbors[box].reduce(0) { $1.side < 0 ? max($0, layers[$1.box] + 1) : $0 }
            put(box, in: firstLayer(from: earliest, for: box))
        }
        makeRoomAtLeft()
        for round in 0..<Self.rounds {
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

    /// Inserts empty columns before the first, so that neighbors of boxes there can move to either side.
    private mutating func makeRoomAtLeft() {
        let count = (loads.count + 1) / 2
        loads = Array(repeating: 0, count: count) + loads
        for box in layers.indices { layers[box] += count }
    }

    private func firstLayer(from earliest: Int, for box: Int) -> Int {
        var layer = earliest
        while layer < loads.count, loads[layer] > 0, loads[layer] + height(box) > limit { layer += 1 }
        return layer
    }

    /// Moves a box to where its lines are shortest. Returns whether it moved.
    private mutating func improve(_ box: Int) -> Bool {
        let near = neighbors[box]
        let positions = near.map { layers[$0.box] }.sorted()
        guard let first = positions.first, let last = positions.last else { return false }
        let middle = positions[positions.count / 2]
        var lowest = max(0, first - 1, middle - Self.reach)
        var highest = min(loads.count - 1, last + 1, middle + Self.reach)
        for neighbor in near where neighbor.isFixed {
            if neighbor.side < 0 {
                lowest = max(lowest, layers[neighbor.box] + 1)
            } else {
                highest = min(highest, layers[neighbor.box] - 1)
            }
        }
        guard lowest <= highest else { return false }
        let current = layers[box]
        var best = (layer: current, cost: cost(of: current, near))
        let taken = Set(positions)
        for layer in lowest...highest where layer != current && !taken.contains(layer) {
            guard loads[layer] + height(box) <= limit else { continue }
            let cost = cost(of: layer, near)
            if cost < best.cost { best = (layer, cost) }
        }
        guard best.layer != current else { return false }
        loads[current] -= height(box)
        put(box, in: best.layer)
        return true
    }

    /// Returns the total length of the lines if the box is in a column; lines that run backward cost a little more.
    private func cost(of layer: Int, _ near: [Neighbor]) -> Int {
        near.reduce(0) { sum, neighbor in
            let distance = (layers[neighbor.box] - layer) * neighbor.side
            return sum + (distance < 0 ? 1 - 4 * distance : 4 * distance)
        }
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
