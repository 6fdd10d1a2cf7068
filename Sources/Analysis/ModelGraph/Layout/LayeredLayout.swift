/// Lays out connected boxes in columns, after Sugiyama: cycles are broken, boxes are assigned to columns, lines get
/// bends in the columns that they pass, columns are ordered, vertical positions are assigned, and lines are routed
/// through the channels between the columns. The labels at the ends of lines have their own space beside the boxes,
/// without vertical parts of lines.
struct LayeredLayout {
    private let graph: LayoutGraph
    private let proper: ProperGraph
    private let layers: [[Int]]
    private let placement: VerticalPlacement
    private let heights: [Double]
    /// The edges from each box to itself.
    private let loops: [[Int]]

    init(_ graph: LayoutGraph) {
        self.graph = graph
        var loops: [[Int]] = Array(repeating: [], count: graph.boxes.count)
        for (index, edge) in graph.edges.enumerated() where edge.source == edge.target {
            loops[edge.source].append(index)
        }
        self.loops = loops
        let ranks = CycleBreaking(graph).ranks()
        var assignment = LayerAssignment(graph, ranks: ranks)
        proper = ProperGraph(graph, layers: assignment.assign())
        var reduction = CrossingReduction(proper)
        layers = reduction.reduce()
        var positions = Array(repeating: 0, count: proper.items.count)
        for layer in layers {
            for (position, item) in layer.enumerated() { positions[item] = position }
        }
        let ports = Ports(graph, proper, positions: positions)
        heights = graph.boxes.indices.map { max(graph.boxes[$0].height, ports.neededHeight(of: $0)) }
        var placement = VerticalPlacement(proper, layers: layers, ports: ports, heights: heights)
        placement.position()
        self.placement = placement
    }

    /// The left edge and the width of each column, and the tracks after it.
    private struct Column {
        var x: Double
        var width: Double
        /// The x-coordinate of the first track.
        var firstTrack = 0.0
        /// The x-coordinate of each net that has segments in the channel.
        var tracks: [Int: Double] = [:]
    }

    func layout() -> Layout {
        let columns = columns()
        let boxes = graph.boxes.indices.map { box in
            let column = columns[proper.items[box].layer]
            return Rect(x: column.x, y: placement.tops[box], width: column.width, height: heights[box])
        }
        let routes = proper.paths.indices.map { route(ofEdge: $0, columns, boxes) }
        var size = Size(
            width: boxes.reduce(0) { max($0, $1.maxX) }, height: boxes.reduce(0) { max($0, $1.maxY) })
        for (edge, route) in routes.enumerated() {
            switch route {
            case .line(let points):
                for point in points {
                    size.width = max(size.width, point.x)
                    size.height = max(size.height, point.y)
                }
                if let first = points.first, graph.edges[edge].source == graph.edges[edge].target {
                    let label = max(graph.edges[edge].sourceLabelWidth, graph.edges[edge].targetLabelWidth)
                    size.width = max(size.width, first.x + label + Spacing.clear)
                }
            case .cut(let source, let target):
                for point in source + target {
                    size.width = max(size.width, point.x + graph.edges[edge].cutLabelWidth)
                }
            }
        }
        return Layout(boxes: boxes, routes: routes, size: size)
    }

    // MARK: Columns and the channels between them

    private func columns() -> [Column] {
        var zones = Array(repeating: (left: Spacing.boxToLine, right: Spacing.boxToLine), count: proper.layerCount)
        if let last = zones.indices.last { zones[last] = (0, 0) }
        var nets: [[Int]] = Array(repeating: [], count: proper.layerCount)
        for (segment, piece) in proper.segments.enumerated() {
            let channel = proper.items[piece.left].layer
            nets[channel].append(segment)
        }
        for (edge, path) in proper.paths.enumerated() { widen(&zones, forEdge: edge, path) }
        var columns: [Column] = []
        var x = 0.0
        for layer in layers.indices {
            let width = layers[layer].reduce(0) { max($0, proper.items[$1].box.map { graph.boxes[$0].width } ?? 0) }
            var column = Column(x: x, width: width)
            let channel = route(nets[layer], loopsIn: layer)
            column.firstTrack = x + width + zones[layer].left
            for (net, track) in channel.tracks {
                column.tracks[net] = column.firstTrack + Double(track) * Spacing.track
            }
            columns.append(column)
            x = column.firstTrack + Double(max(0, channel.count - 1)) * Spacing.track + zones[layer].right
        }
        return columns
    }

    /// Widens the zones beside boxes for the ends of a line: `left` of a channel, at the right sides of boxes, and
    /// `right` of it.
    private func widen(
        _ zones: inout [(left: Double, right: Double)], forEdge index: Int, _ path: ProperGraph.Path
    ) {
        let edge = graph.edges[index]
        let (from, to) = (proper.items[edge.source].layer, proper.items[edge.target].layer)
        func room(_ label: Double) -> Double { (label == 0 ? Spacing.clear : label + 16).rounded(.up) }
        switch path {
        case .loop:
            zones[from].left = max(zones[from].left, room(max(edge.sourceLabelWidth, edge.targetLabelWidth)))
        case .cut:
            zones[from].left = max(zones[from].left, room(edge.cutLabelWidth))
            zones[to].left = max(zones[to].left, room(edge.cutLabelWidth))
        case .segments(_, let isReversed):
            let (first, last) = isReversed ? (to, from) : (from, to)
            let labels =
                isReversed
                ? (edge.targetLabelWidth, edge.sourceLabelWidth) : (edge.sourceLabelWidth, edge.targetLabelWidth)
            zones[first].left = max(zones[first].left, room(labels.0))
            zones[last - 1].right = max(zones[last - 1].right, room(labels.1))
        }
    }

    /// Returns the tracks of the nets in a channel. A loop's net is its edge.
    private func route(_ segments: [Int], loopsIn layer: Int) -> (tracks: [(net: Int, track: Int)], count: Int) {
        var names: [Int] = []
        var nets: [ChannelRouting.Net] = []
        var indexByName: [Int: Int] = [:]
        func index(_ name: Int) -> Int {
            if let index = indexByName[name] { return index }
            indexByName[name] = nets.count
            names.append(name)
            nets.append(ChannelRouting.Net())
            return nets.count - 1
        }
        for segment in segments {
            let net = index(proper.segments[segment].net)
            let left = placement.pin(segment, atLeft: true)
            if !nets[net].left.contains(left) { nets[net].left.append(left) }
            nets[net].right.append(placement.pin(segment, atLeft: false))
        }
        for item in layers[layer] {
            guard let box = proper.items[item].box else { continue }
            for edge in loops[box] {
                guard let ports = placement.ports.others[edge] else { continue }
                let net = index(edge)
                nets[net].left = [placement.height(ofPort: ports.source), placement.height(ofPort: ports.target)]
            }
        }
        let routing = ChannelRouting(nets)
        return (zip(names, routing.tracks).map { ($0, $1) }, routing.count)
    }

    // MARK: Lines

    private func route(ofEdge index: Int, _ columns: [Column], _ boxes: [Rect]) -> Layout.Route {
        let edge = graph.edges[index]
        switch proper.paths[index] {
        case .segments(let segments, let isReversed):
            let points = points(along: segments, columns)
            return .line(isReversed ? points.reversed() : points)
        case .loop:
            guard let ports = placement.ports.others[index] else { return .line([]) }
            let column = columns[proper.items[edge.source].layer]
            let track = column.tracks[index] ?? column.firstTrack
            let heights = (placement.height(ofPort: ports.source), placement.height(ofPort: ports.target))
            let side = boxes[edge.source].maxX
            return .line([
                Point(x: side, y: heights.0), Point(x: track, y: heights.0), Point(x: track, y: heights.1),
                Point(x: side, y: heights.1),
            ])
        case .cut:
            guard let ports = placement.ports.others[index] else { return .line([]) }
            func piece(_ port: Int, _ box: Int) -> [Point] {
                let height = placement.height(ofPort: port)
                return [Point(x: boxes[box].maxX, y: height), Point(x: boxes[box].maxX + Spacing.clear, y: height)]
            }
            return .cut(source: piece(ports.source, edge.source), target: piece(ports.target, edge.target))
        }
    }

    private func points(along segments: [Int], _ columns: [Column]) -> [Point] {
        var points: [Point] = []
        for segment in segments {
            let piece = proper.segments[segment]
            let column = columns[proper.items[piece.left].layer]
            let (start, end) = (placement.pin(segment, atLeft: true), placement.pin(segment, atLeft: false))
            if points.isEmpty { points.append(Point(x: column.x + column.width, y: start)) }
            guard start != end, let track = column.tracks[piece.net] else { continue }
            points.append(Point(x: track, y: start))
            points.append(Point(x: track, y: end))
        }
        if let last = segments.last {
            let right = columns[proper.items[proper.segments[last].right].layer].x
            points.append(Point(x: right, y: placement.pin(last, atLeft: false)))
        }
        return points
    }
}
