import Testing

@testable import ModelGraph

/// Properties that hold for the layout of any graph.
@Suite struct LayoutTests {
    private static let sizes = [(0, 0), (1, 0), (1, 4), (2, 3), (5, 4), (12, 14), (30, 34), (40, 90), (60, 60)]

    private static let graphsOfSize = 4
    private static let graphs: [LayoutGraph] = sizes.flatMap { boxes, edges in
        (1...graphsOfSize).map { LayoutGraph.random(boxes: boxes, edges: edges, seed: UInt64($0 * 1000 + boxes)) }
    }

    private static let layouts = graphs.map { Components($0).layout() }

    @Test(arguments: graphs.indices)
    func boxesDoNotOverlap(index: Int) {
        let graph = Self.graphs[index]
        let layout = Self.layouts[index]
        for (box, size) in zip(layout.boxes, graph.boxes) {
            #expect(box.width >= size.width && box.height >= size.height)
            #expect(box.x >= 0 && box.y >= 0 && box.maxX <= layout.size.width && box.maxY <= layout.size.height)
        }
        for (number, box) in layout.boxes.enumerated() {
            let near = Rect(x: box.x - 10, y: box.y - 10, width: box.width + 20, height: box.height + 20)
            #expect(!layout.boxes[(number + 1)...].contains { $0.overlaps(near) })
        }
    }

    @Test(arguments: graphs.indices)
    func linesBeginAndEndAtTheirBoxes(index: Int) {
        let graph = Self.graphs[index]
        let layout = Self.layouts[index]
        for (edge, route) in zip(graph.edges, layout.routes) {
            guard case .line(let points) = route, let first = points.first, let last = points.last else {
                Issue.record("no line")
                continue
            }
            for (point, box) in [(first, layout.boxes[edge.source]), (last, layout.boxes[edge.target])] {
                #expect(point.x == box.x || point.x == box.maxX)
                #expect(point.y > box.y && point.y < box.maxY)
            }
            for (start, end) in zip(points, points.dropFirst()) { #expect(start.x == end.x || start.y == end.y) }
        }
    }

    @Test(arguments: graphs.indices)
    func noLineRunsThroughABox(index: Int) {
        let layout = Self.layouts[index]
        for route in layout.routes {
            for segment in Self.segments(of: route) {
                #expect(!layout.boxes.contains { $0.overlaps(segment) })
            }
        }
    }

    @Test(arguments: graphs.indices)
    func labelsDoNotOverlap(index: Int) {
        let graph = Self.graphs[index]
        let layout = Self.layouts[index]
        var labels: [Rect] = []
        for (edge, route) in zip(graph.edges, layout.routes) {
            guard case .line(let points) = route else { continue }
            if edge.sourceLabelWidth > 0 { labels.append(Self.label(points, width: edge.sourceLabelWidth)) }
            labels.append(Self.label(points.reversed(), width: edge.targetLabelWidth))
        }
        let segments = layout.routes.flatMap(Self.segments)
        for (number, label) in labels.enumerated() {
            #expect(!labels[(number + 1)...].contains { $0.overlaps(label) })
            #expect(!layout.boxes.contains { $0.overlaps(label) })
            #expect(!segments.contains { $0.overlaps(label) })
            #expect(label.maxX <= layout.size.width)
        }
    }

    /// Overlapping lines cannot be distinguished. Vertical segments never overlap. Horizontal segments do where two
    /// lines swap positions between two columns, at the same two heights: 2 of about 1000 lines here.
    @Test func parallelLinesAreSpaced() {
        var level = 0
        var upright = 0
        for seed in 1...30 {
            let graph = LayoutGraph.random(boxes: 25, edges: 30, seed: UInt64(seed))
            let layout = Components(graph).layout()
            var segments: [(rect: Rect, net: Int)] = []
            for (index, route) in layout.routes.enumerated() {
                let edge = graph.edges[index]
                let net = edge.kind == .trunk ? graph.edges.count + edge.source : index
                segments += Self.segments(of: route).map { ($0, net) }
            }
            for (number, first) in segments.enumerated() {
                for second in segments[(number + 1)...] where first.net != second.net {
                    let isLevel = first.rect.height == 0 && second.rect.height == 0
                    let isUpright = first.rect.width == 0 && second.rect.width == 0
                    guard isLevel || isUpright, Self.thick(first.rect).overlaps(Self.thick(second.rect)) else {
                        continue
                    }
                    level += isLevel ? 1 : 0
                    upright += isUpright ? 1 : 0
                }
            }
        }
        #expect(upright == 0)
        #expect(level <= 2)
    }

    /// Returns the area covered by a line, without its ends.
    private static func thick(_ segment: Rect) -> Rect {
        let isLevel = segment.height == 0
        return Rect(
            x: segment.x + (isLevel ? 1 : -1.5), y: segment.y + (isLevel ? -1.5 : 1),
            width: isLevel ? segment.width - 2 : 3, height: isLevel ? 3 : segment.height - 2)
    }

    @Test func layoutIsDeterministic() {
        for index in stride(from: 0, to: Self.graphs.count, by: Self.graphsOfSize) {
            let (graph, first) = (Self.graphs[index], Self.layouts[index])
            let second = Components(graph).layout()
            #expect(first.boxes == second.boxes)
            #expect(first.routes == second.routes)
        }
    }

    /// Returns the area of a route's first label: above the line, next to the box.
    private static func label(_ points: [Point], width: Double) -> Rect {
        let (start, next) = (points[0], points[1])
        return Rect(x: next.x < start.x ? start.x - width : start.x, y: start.y - 13, width: width, height: 10)
    }

    /// Returns the segments of a route as thin rectangles.
    private static func segments(of route: Layout.Route) -> [Rect] {
        route.pieces.flatMap { points in
            zip(points, points.dropFirst()).map { start, end in
                Rect(
                    x: min(start.x, end.x), y: min(start.y, end.y), width: abs(start.x - end.x),
                    height: abs(start.y - end.y))
            }
        }
    }
}
