/// Assigns the vertical parts of the lines between two columns to tracks side by side, so that no two overlap and few
/// cross.
struct ChannelRouting {
    /// Connected segments of lines.
    struct Net {
        /// The heights at which it leaves the left column.
        var left: [Double] = []
        /// The heights at which it reaches the right column.
        var right: [Double] = []

        var lowest: Double { min(left.min() ?? .infinity, right.min() ?? .infinity) }
        var highest: Double { max(left.max() ?? -.infinity, right.max() ?? -.infinity) }
        /// Whether it needs no vertical part.
        var isLevel: Bool { lowest == highest }
    }

    /// The track of each net, from left to right; 0 for nets that need none.
    private(set) var tracks: [Int]
    /// The number of tracks.
    private(set) var count = 0

    private let nets: [Net]
    private let extents: [(lowest: Double, highest: Double)]

    /// The maximum number of nets whose order is optimized by comparing all pairs.
    private static let pairLimit = 300
    /// The maximum number of tracks if there are more nets than that.
    private static let trackLimit = 120

    init(_ nets: [Net]) {
        self.nets = nets
        extents = nets.map { ($0.lowest, $0.highest) }
        tracks = Array(repeating: 0, count: nets.count)
        var order = nets.indices.filter { !nets[$0].isLevel }
        // Lines that go down nest in the opposite order of those that go up.
        order.sort { (sortKey($0), $0) < (sortKey($1), $1) }
        if order.count <= Self.pairLimit {
            improve(&order)
            sift(&order)
            number(order)
        } else {
            pack(order)
        }
    }

    private func sortKey(_ net: Int) -> Double {
        let left = nets[net].left.first ?? 0
        let right = nets[net].right.first ?? nets[net].left.last ?? 0
        return left < right ? -left : left
    }

    /// Returns the cost of one net being left of another: crossings and, worse, overlapping horizontal parts.
    private func cost(_ first: Int, leftOf second: Int) -> Int {
        var cost = 0
        for height in nets[first].right where height > extents[second].lowest && height < extents[second].highest {
            cost += 1
        }
        for height in nets[second].left where height > extents[first].lowest && height < extents[first].highest {
            cost += 1
        }
        for right in nets[first].right {
            for left in nets[second].left where abs(left - right) < 5 { cost += 50 }
        }
        return cost
    }

    /// Swaps neighbors as long as that reduces the cost.
    private func improve(_ order: inout [Int]) {
        guard order.count > 1 else { return }
        for _ in 0..<min(40, order.count) {
            var isSettled = true
            for position in 1..<order.count {
                let (first, second) = (order[position - 1], order[position])
                guard cost(second, leftOf: first) < cost(first, leftOf: second) else { continue }
                order.swapAt(position - 1, position)
                isSettled = false
            }
            if isSettled { return }
        }
    }

    /// Removes each net and reinserts it at the best position: swapping neighbors alone can get stuck.
    private func sift(_ order: inout [Int]) {
        for net in order where order.count > 2 {
            guard let position = order.firstIndex(of: net) else { continue }
            order.remove(at: position)
            // The cost of being first, and how it changes with each net that is passed.
            var cost = order.reduce(0) { $0 + self.cost(net, leftOf: $1) }
            var costs = [cost]
            for other in order {
                cost += self.cost(other, leftOf: net) - self.cost(net, leftOf: other)
                costs.append(cost)
            }
            var best = position
            for candidate in costs.indices where costs[candidate] < costs[best] { best = candidate }
            order.insert(net, at: best)
        }
    }

    /// Assigns tracks. Nets share a track unless their extents or their order prevent it.
    private mutating func number(_ order: [Int]) {
        for (position, net) in order.enumerated() {
            var track = 0
            for earlier in order[..<position] {
                let apart =
                    extents[earlier].highest + 6 < extents[net].lowest
                    || extents[net].highest + 6 < extents[earlier].lowest
                if !apart || cost(net, leftOf: earlier) > cost(earlier, leftOf: net) {
                    track = max(track, tracks[earlier] + 1)
                }
            }
            tracks[net] = track
            count = max(count, track + 1)
        }
    }

    /// Assigns each net the first track that is free over its extent, ignoring crossings; beyond the last track, tracks
    /// are shared.
    private mutating func pack(_ order: [Int]) {
        var ends: [Double] = []
        let byStart = order.sorted { (extents[$0].lowest, $0) < (extents[$1].lowest, $1) }
        for (position, net) in byStart.enumerated() {
            if let track = ends.firstIndex(where: { $0 + 6 < extents[net].lowest }) {
                tracks[net] = track
                ends[track] = extents[net].highest
            } else if ends.count < Self.trackLimit {
                tracks[net] = ends.count
                ends.append(extents[net].highest)
            } else {
                tracks[net] = position % Self.trackLimit
            }
        }
        count = ends.count
    }
}
