/// The points where lines meet boxes. Each side of a box has its ports in an order that keeps lines from crossing
/// directly beside it.
struct Ports {
    /// A point on a side of a box.
    struct Port {
        var box: Int
        /// The segments of lines that end there: one, or those of a trunk.
        var segments: [Int]
        /// The distance from the upper edge of the box.
        var offset = 0.0
    }

    private(set) var ports: [Port] = []
    /// The ports on the left side of each box, from top to bottom.
    private(set) var left: [[Int]]
    /// The ports on the right side of each box, from top to bottom.
    private(set) var right: [[Int]]
    /// The port at the left end of each segment; `nil` if there is a bend.
    private(set) var leftEnd: [Int?]
    /// The port at the right end of each segment; `nil` if there is a bend.
    private(set) var rightEnd: [Int?]
    /// The ports of loops and cut lines by edge, both on right sides: at the source and at the target.
    private(set) var others: [Int: (source: Int, target: Int)] = [:]

    /// - Parameter positions: The position of each item in its column.
    init(_ graph: LayoutGraph, _ proper: ProperGraph, positions: [Int]) {
        left = Array(repeating: [], count: graph.boxes.count)
        right = left
        leftEnd = Array(repeating: nil, count: proper.segments.count)
        rightEnd = leftEnd
        for box in graph.boxes.indices {
            addRight(box, proper: proper, positions: positions)
            addLeft(box, proper: proper, positions: positions)
        }
        for (edge, path) in proper.paths.enumerated() {
            if case .segments = path { continue }
            let ends = graph.edges[edge]
            others[edge] = (addPort(ends.source, onLeft: false), addPort(ends.target, onLeft: false))
        }
    }

    private mutating func addPort(_ box: Int, onLeft: Bool) -> Int {
        ports.append(Port(box: box, segments: []))
        if onLeft { left[box].append(ports.count - 1) } else { right[box].append(ports.count - 1) }
        return ports.count - 1
    }

    private mutating func addRight(_ box: Int, proper: ProperGraph, positions: [Int]) {
        /// The segments that share a port, in the order of the first one.
        var groups: [[Int]] = []
        var groupByNet: [Int: Int] = [:]
        for segment in proper.items[box].right {
            let net = proper.segments[segment].net
            if let group = groupByNet[net] {
                groups[group].append(segment)
            } else {
                groupByNet[net] = groups.count
                groups.append([segment])
            }
        }
        let keys = groups.map { group in
            Double(group.reduce(0) { $0 + positions[proper.segments[$1].right] }) / Double(group.count)
        }
        for group in groups.indices.sorted(by: { (keys[$0], $0) < (keys[$1], $1) }) {
            let port = addPort(box, onLeft: false)
            ports[port].segments = groups[group]
            for segment in groups[group] { leftEnd[segment] = port }
        }
    }

    private mutating func addLeft(_ box: Int, proper: ProperGraph, positions: [Int]) {
        let segments = proper.items[box].left.sorted {
            (positions[proper.segments[$0].left], $0) < (positions[proper.segments[$1].left], $1)
        }
        for segment in segments {
            let port = addPort(box, onLeft: true)
            ports[port].segments = [segment]
            rightEnd[segment] = port
        }
    }

    func neededHeight(of box: Int) -> Double {
        let count = max(left[box].count, right[box].count)
        return count == 0 ? 0 : 2 * Spacing.portMargin + Double(count - 1) * Spacing.port
    }

    /// Moves a port on its side.
    mutating func move(_ port: Int, to offset: Double) {
        ports[port].offset = offset
    }
}
