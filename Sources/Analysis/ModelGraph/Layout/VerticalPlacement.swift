/// Assigns every item its vertical position, in the order of its column, so that lines are as horizontal as possible.
struct VerticalPlacement {
    private let proper: ProperGraph
    private let layers: [[Int]]
    private let heights: [Double]
    /// The upper edge of each box, and the y-coordinate of each bend.
    private(set) var tops: [Double]
    /// The ports, which slide along their sides.
    private(set) var ports: Ports
    /// The position of each item in its column.
    private let positions: [Int]
    /// For each column, the distance of each item's top from that of the first if the column is packed as closely as
    /// possible.
    private var stacks: [[Double]] = []

    /// - Parameter heights: The height of each box.
    init(_ proper: ProperGraph, layers: [[Int]], ports: Ports, heights: [Double]) {
        self.proper = proper
        self.layers = layers
        self.ports = ports
        self.heights = heights
        tops = Array(repeating: 0, count: proper.items.count)
        var positions = tops.map { _ in 0 }
        for layer in layers {
            for (position, item) in layer.enumerated() { positions[item] = position }
        }
        self.positions = positions
    }

    /// Returns the y-coordinate of a segment at one of its ends.
    func pin(_ segment: Int, atLeft: Bool) -> Double {
        let item = atLeft ? proper.segments[segment].left : proper.segments[segment].right
        let port = atLeft ? ports.leftEnd[segment] : ports.rightEnd[segment]
        return tops[item] + (port.map { ports.ports[$0].offset } ?? 0)
    }

    /// Returns the y-coordinate of a port.
    func height(ofPort port: Int) -> Double { tops[ports.ports[port].box] + ports.ports[port].offset }

    /// Places everything; the smallest top is 0.
    mutating func position() {
        stackUp()
        centerPorts()
        for _ in 0..<6 {
            sweep(left: true, right: false)
            sweep(left: false, right: true)
        }
        for _ in 0..<6 { sweep(left: true, right: true) }
        slidePorts()
        for _ in 0..<3 { sweep(left: true, right: true) }
        slidePorts()
        for _ in 0..<3 {
            snap()
            slidePorts()
            straighten()
            slidePorts()
        }
        let lowest = tops.min() ?? 0
        for item in tops.indices { tops[item] -= lowest }
    }

    private func height(_ item: Int) -> Double {
        proper.items[item].box.map { heights[$0] } ?? 0
    }

    private func distance(_ upper: Int, _ lower: Int) -> Double {
        switch (proper.items[upper].box, proper.items[lower].box) {
        case (.some, .some): Spacing.box
        case (nil, nil): Spacing.line
        default: Spacing.boxToLine
        }
    }

    private mutating func stackUp() {
        for layer in layers {
            var stack: [Double] = []
            var top = 0.0
            for (position, item) in layer.enumerated() {
                if position > 0 { top += distance(layer[position - 1], item) }
                stack.append(top)
                top += height(item)
            }
            stacks.append(stack)
            for (item, offset) in zip(layer, stack) { tops[item] = (offset - top / 2).rounded() }
        }
    }

    private mutating func centerPorts() {
        for box in ports.left.indices {
            for side in [ports.left[box], ports.right[box]] {
                let first = heights[box] / 2 - Double(side.count - 1) * Spacing.port / 2
                for (index, port) in side.enumerated() {
                    ports.move(port, to: (first + Double(index) * Spacing.port).rounded())
                }
            }
        }
    }

    /// Moves every item toward the ends of its lines.
    private mutating func sweep(left: Bool, right: Bool) {
        for layer in right && !left ? Array(layers.indices.reversed()) : Array(layers.indices) {
            var wishes: [Double] = []
            var weights: [Double] = []
            for (item, offset) in zip(layers[layer], stacks[layer]) {
                var sum = 0.0
                var weight = 0.0
                func add(_ segment: Int, atLeft: Bool) {
                    // A line across many columns should not bend in each of them.
                    let piece = proper.segments[segment]
                    let bends = [piece.left, piece.right].count { proper.items[$0].box == nil }
                    let share = bends == 2 ? 6.0 : bends == 1 ? 2 : 1
                    sum += share * (pin(segment, atLeft: !atLeft) - pin(segment, atLeft: atLeft))
                    weight += share
                }
                if left { for segment in proper.items[item].left { add(segment, atLeft: false) } }
                if right { for segment in proper.items[item].right { add(segment, atLeft: true) } }
                wishes.append(tops[item] + (weight > 0 ? sum / weight : 0) - offset)
                weights.append(max(weight, 0.05))
            }
            let fitted = Isotonic.fit(wishes, weights: weights)
            for (index, item) in layers[layer].enumerated() {
                tops[item] = (fitted[index] + stacks[layer][index]).rounded()
            }
        }
        restoreDistances()
    }

    /// Restores the minimum distances, which rounding can violate.
    private mutating func restoreDistances() {
        for layer in layers {
            for (upper, lower) in zip(layer, layer.dropFirst()) {
                tops[lower] = max(tops[lower], tops[upper] + height(upper) + distance(upper, lower))
            }
        }
    }

    /// Moves ports to the y-coordinate of the other ends of their lines, where the sides are long enough.
    private mutating func slidePorts() {
        for _ in 0..<2 {
            for box in ports.right.indices { slide(ports.right[box], of: box, onLeft: false) }
            for box in ports.left.indices { slide(ports.left[box], of: box, onLeft: true) }
        }
    }

    private mutating func slide(_ side: [Int], of box: Int, onLeft: Bool) {
        guard !side.isEmpty else { return }
        let lowest = tops[box] + Spacing.portMargin
        let highest = tops[box] + heights[box] - Spacing.portMargin
        let wishes = side.map { port in
            let segments = ports.ports[port].segments
            // Loops and cut lines stay at the bottom.
            guard !segments.isEmpty else { return highest }
            return segments.reduce(0) { $0 + pin($1, atLeft: onLeft) } / Double(segments.count)
        }
        let positions = Isotonic.spread(
            wishes.map { min(highest, max(lowest, $0)) }, distance: Spacing.port, from: lowest, to: highest)
        for (port, position) in zip(side, positions) { ports.move(port, to: position - tops[box]) }
    }

    /// Moves boxes slightly where that makes more of their lines horizontal.
    private mutating func snap() {
        for box in ports.left.indices {
            let item = proper.items[box]
            let distances =
                item.left.map { pin($0, atLeft: true) - pin($0, atLeft: false) }
                + item.right.map { pin($0, atLeft: false) - pin($0, atLeft: true) }
            let range = freeRange(of: box)
            var best = (distance: 0.0, levelCount: distances.count { $0 == 0 })
            for distance in distances.filter({ abs($0) <= 40 && $0 != 0 }).prefix(24) {
                guard range.contains(tops[box] + distance) else { continue }
                let count = distances.count { $0 == distance }
                let isNearer = count == best.levelCount && abs(distance) < abs(best.distance)
                if count > best.levelCount || isNearer { best = (distance, count) }
            }
            tops[box] += best.distance
        }
    }

    /// Removes bends of long lines: the segments run horizontally for as many columns as there is room.
    private mutating func straighten() {
        for path in proper.paths {
            guard case .segments(let segments, _) = path, let first = segments.first, let last = segments.last,
                segments.count > 1
            else { continue }
            let bends = segments.dropLast().map { proper.segments[$0].right }
            let isTrunk = proper.segments[first].net >= proper.paths.count
            let start = pin(first, atLeft: true)
            straighten(bends, from: start, to: isTrunk ? start : pin(last, atLeft: false))
        }
    }

    private mutating func straighten(_ bends: [Int], from start: Double, to end: Double) {
        var room = start...start
        var group: [Int] = []
        var wish = start
        for bend in bends {
            let own = freeRange(of: bend)
            if own.overlaps(room) {
                room = own.clamped(to: room)
            } else {
                for item in group { tops[item] = min(room.upperBound, max(room.lowerBound, wish)) }
                group = []
                room = own
            }
            group.append(bend)
            wish = end
        }
        for item in group { tops[item] = min(room.upperBound, max(room.lowerBound, wish)) }
    }

    /// Returns the range in which an item can move without coming too near to its neighbors in the column.
    private func freeRange(of item: Int) -> ClosedRange<Double> {
        let layer = layers[proper.items[item].layer]
        let position = positions[item]
        var lowest = tops[item] - 100_000
        var highest = tops[item] + 100_000
        if position > 0 {
            let upper = layer[position - 1]
            lowest = min(tops[item], tops[upper] + height(upper) + distance(upper, item))
        }
        if position + 1 < layer.count {
            let lower = layer[position + 1]
            highest = max(tops[item], tops[lower] - height(item) - distance(item, lower))
        }
        return lowest...highest
    }
}
