/// Orders the items of each column so that few lines cross: first by sweeps that put each item at the barycenter of its
/// neighbors, keeping the best order, and then by swapping adjacent items.
struct CrossingReduction {
    private let graph: ProperGraph
    /// The items of each column, from top to bottom.
    private var layers: [[Int]]
    /// The position of each item in its column.
    private var positions: [Int]

    init(_ graph: ProperGraph) {
        self.graph = graph
        layers = Array(repeating: [], count: graph.layerCount)
        positions = Array(repeating: 0, count: graph.items.count)
        addInDepthFirstOrder()
    }

    /// Adds the items in depth-first order, so that neighbors are near each other from the start.
    private mutating func addInDepthFirstOrder() {
        var isSeen = Array(repeating: false, count: graph.items.count)
        for start in graph.items.indices where !isSeen[start] {
            var stack = [start]
            while let item = stack.popLast() {
                guard !isSeen[item] else { continue }
                isSeen[item] = true
                let layer = graph.items[item].layer
                positions[item] = layers[layer].count
                layers[layer].append(item)
                for segment in graph.items[item].left.reversed() { stack.append(graph.segments[segment].left) }
                for segment in graph.items[item].right.reversed() { stack.append(graph.segments[segment].right) }
            }
        }
    }

    /// The items of each column, from top to bottom.
    mutating func reduce() -> [[Int]] {
        guard graph.segments.count > 1 else { return layers }
        sweepAndExchange()
        var best = layers
        var fewest = crossingCount()
        // The result of sweeps depends on the initial order; small graphs can afford several attempts.
        let attempts = graph.segments.count <= 250 ? 16 : graph.segments.count <= 1500 ? 5 : 0
        var shuffle = Shuffle()
        for _ in 0..<attempts where fewest > 0 {
            for layer in layers.indices {
                shuffle.apply(to: &layers[layer])
                renumber(layer)
            }
            sweepAndExchange()
            let count = crossingCount()
            if count < fewest { (fewest, best) = (count, layers) }
        }
        layers = best
        return layers
    }

    /// Sweeps back and forth, and keeps the best order.
    private mutating func sweepAndExchange() {
        var best = layers
        var fewest = crossingCount()
        let rounds = max(3, min(24, 600_000 / (graph.segments.count + graph.items.count)))
        var fruitless = 0
        for round in 0..<rounds where fewest > 0 && fruitless < 6 {
            if round.isMultiple(of: 2) {
                for layer in layers.indices.dropFirst() { sort(layer, byLeft: true) }
            } else {
                for layer in layers.indices.dropLast().reversed() { sort(layer, byLeft: false) }
            }
            let count = crossingCount()
            fruitless = count < fewest ? 0 : fruitless + 1
            if count < fewest { (fewest, best) = (count, layers) }
        }
        layers = best
        for layer in layers.indices { renumber(layer) }
        if graph.segments.count <= 4000 { exchange() }
    }

    private mutating func renumber(_ layer: Int) {
        for (position, item) in layers[layer].enumerated() { positions[item] = position }
    }

    private func neighbors(_ item: Int, left: Bool) -> [Int] {
        left
            ? graph.items[item].left.map { graph.segments[$0].left }
            : graph.items[item].right.map { graph.segments[$0].right }
    }

    private mutating func sort(_ layer: Int, byLeft: Bool) {
        let keyed = layers[layer].enumerated().map { position, item in
            let near = neighbors(item, left: byLeft)
            let sum = near.reduce(0) { $0 + positions[$1] }
            // Positions are compared as fractions of their column, so that an item without neighbors stays where it is.
            let scale = Double(max(1, neighborLayerCount(layer, left: byLeft)))
            let key =
                near.isEmpty
                ? Double(position) / Double(layers[layer].count) : Double(sum) / Double(near.count) / scale
            return (key: key, position: position, item: item)
        }
        layers[layer] = keyed.sorted { ($0.key, $0.position) < ($1.key, $1.position) }.map(\.item)
        renumber(layer)
    }

    private func neighborLayerCount(_ layer: Int, left: Bool) -> Int {
        layers[left ? layer - 1 : layer + 1].count
    }

    /// Returns the number of crossings between all columns.
    private func crossingCount() -> Int {
        layers.indices.dropFirst().reduce(0) { $0 + crossingCount(before: $1) }
    }

    /// Returns the number of crossings between a column and the one before: the inversions among the right positions of
    /// the segments, sorted by their left positions.
    private func crossingCount(before layer: Int) -> Int {
        var tree = Array(repeating: 0, count: layers[layer].count + 1)
        var seen = 0
        var crossings = 0
        for item in layers[layer - 1] {
            let rights = graph.items[item].right.map { positions[graph.segments[$0].right] }.sorted()
            for position in rights {
                var index = position + 1
                var notAfter = 0
                while index > 0 {
                    notAfter += tree[index]
                    index &= index - 1
                }
                crossings += seen - notAfter
            }
            for position in rights {
                var index = position + 1
                while index < tree.count {
                    tree[index] += 1
                    index += index & -index
                }
                seen += 1
            }
        }
        return crossings
    }

    /// Swaps neighbors in a column as long as that reduces crossings.
    private mutating func exchange() {
        for _ in 0..<12 {
            var isSettled = true
            for layer in layers.indices {
                for position in layers[layer].indices.dropLast() {
                    let (upper, lower) = (layers[layer][position], layers[layer][position + 1])
                    guard crossings(lower, above: upper) < crossings(upper, above: lower) else { continue }
                    layers[layer].swapAt(position, position + 1)
                    (positions[upper], positions[lower]) = (position + 1, position)
                    isSettled = false
                }
            }
            if isSettled { return }
        }
    }

    /// Returns the number of crossings between the lines of two items of a column if one is directly above the other.
    private func crossings(_ upper: Int, above lower: Int) -> Int {
        var count = 0
        for left in [true, false] {
            let lowerPositions = neighbors(lower, left: left).map { positions[$0] }
            for neighbor in neighbors(upper, left: left) {
                count += lowerPositions.count { $0 < positions[neighbor] }
            }
        }
        return count
    }
}

/// A pseudorandom shuffle that is the same on every run.
private struct Shuffle {
    private var state: UInt64 = 1

    mutating func apply(to items: inout [Int]) {
        for position in items.indices.dropFirst().reversed() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            items.swapAt(position, Int((state >> 33) % UInt64(position + 1)))
        }
    }
}
