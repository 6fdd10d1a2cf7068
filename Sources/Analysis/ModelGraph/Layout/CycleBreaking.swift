/// Chooses the direction of every line so that there are no cycles: the order of Eades, Lin and Smyth, in linear time,
/// in which few and light lines run backward.
struct CycleBreaking {
    private let graph: LayoutGraph
    /// The edges at each box, without loops.
    private let edgesAt: [[Int]]

    init(_ graph: LayoutGraph) {
        self.graph = graph
        var edgesAt: [[Int]] = Array(repeating: [], count: graph.boxes.count)
        for (index, edge) in graph.edges.enumerated() where edge.source != edge.target {
            edgesAt[edge.source].append(index)
            edgesAt[edge.target].append(index)
        }
        self.edgesAt = edgesAt
    }

    /// Returns the cost of reversing an edge. A parent belongs before its children.
    static func weight(_ edge: LayoutGraph.Edge) -> Int { edge.kind == .trunk ? 16 : 1 }

    /// Returns a rank for each box; every edge is treated as running from the lower to the higher rank.
    func ranks() -> [Int] {
        let count = graph.boxes.count
        var out = Array(repeating: 0, count: count)
        var into = Array(repeating: 0, count: count)
        for edge in graph.edges where edge.source != edge.target {
            out[edge.source] += Self.weight(edge)
            into[edge.target] += Self.weight(edge)
        }
        var ranks = Array(repeating: -1, count: count)
        var first = 0
        var last = count - 1
        var queue = BucketQueue(range: 256)
        for box in 0..<count { queue.insert(box, at: Self.priority(out[box], into[box])) }
        while let (box, priority) = queue.popMax() {
            // Entries are not removed when a priority changes; outdated ones are skipped here.
            guard ranks[box] < 0, priority == Self.priority(out[box], into[box]) else { continue }
            if out[box] == 0, into[box] > 0 {
                ranks[box] = last
                last -= 1
            } else {
                ranks[box] = first
                first += 1
            }
            for index in edgesAt[box] {
                let edge = graph.edges[index]
                let other = edge.source == box ? edge.target : edge.source
                guard ranks[other] < 0 else { continue }
                if edge.source == box {
                    into[other] -= Self.weight(edge)
                } else {
                    out[other] -= Self.weight(edge)
                }
                queue.insert(other, at: Self.priority(out[other], into[other]))
            }
        }
        return ranks
    }

    /// Returns the priority of a box: sources and sinks first, since they cost nothing, then boxes with the most
    /// outgoing lines.
    private static func priority(_ out: Int, _ into: Int) -> Int {
        into == 0 || out == 0 ? 256 : min(255, max(-255, out - into))
    }
}

/// A queue of numbers by priority, first in, first out among equals.
private struct BucketQueue {
    private var buckets: [[Int]]
    private var heads: [Int]
    private let range: Int
    private var highest = 0

    /// - Parameter range: The maximum priority; the minimum is its negative.
    init(range: Int) {
        self.range = range
        buckets = Array(repeating: [], count: 2 * range + 1)
        heads = Array(repeating: 0, count: 2 * range + 1)
    }

    mutating func insert(_ value: Int, at priority: Int) {
        let bucket = priority + range
        buckets[bucket].append(value)
        highest = max(highest, bucket)
    }

    mutating func popMax() -> (value: Int, priority: Int)? {
        while highest > 0, heads[highest] == buckets[highest].count { highest -= 1 }
        guard heads[highest] < buckets[highest].count else { return nil }
        defer { heads[highest] += 1 }
        return (buckets[highest][heads[highest]], highest - range)
    }
}
