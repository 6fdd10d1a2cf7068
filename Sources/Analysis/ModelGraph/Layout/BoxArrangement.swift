/// The layout of `modelc graph` for boxes that the caller draws.
package enum BoxArrangement {
    /// The size of a box.
    package struct Box: Hashable, Sendable {
        /// The width, in points.
        package var width: Double
        /// The height, in points.
        package var height: Double

        /// Creates the size of a box.
        package init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// The upper left corner of a box; y increases downward.
    package struct Corner: Hashable, Sendable {
        /// The distance from the left edge of the picture, in points.
        package var x: Double
        /// The distance from the upper edge of the picture, in points.
        package var y: Double
    }

    /// Returns the upper left corner of each box, without overlaps.
    ///
    /// - Parameters:
    ///   - boxes: The size of each entity's box, in the order of the graph. The box of an entity that is missing in the
    ///     model is left out, with its lines.
    ///   - graph: The entities and the lines between them.
    /// - Returns: The corners in the order of the graph; `nil` for an entity that is missing in the model.
    package static func corners(of boxes: [Box], in graph: ModelGraph) -> [Corner?] {
        var layout = LayoutGraph()
        var positions: [Int?] = []
        for (entity, box) in zip(graph.entities, boxes) {
            guard entity.role == .shown else {
                positions.append(nil)
                continue
            }
            positions.append(layout.boxes.count)
            layout.boxes.append(Size(width: box.width, height: box.height))
        }
        func connect(_ source: Int, target: Int, kind: LayoutGraph.Edge.Kind) {
            guard positions.indices.contains(source), positions.indices.contains(target),
                let source = positions[source],
                let target = positions[target], source != target
            else { return }
            layout.edges.append(LayoutGraph.Edge(source: source, target: target, kind: kind))
        }
        for line in graph.inheritances { connect(line.parent, target: line.child, kind: .trunk) }
        for line in graph.relationships {
            // Lines run from the one to the many, so that the picture reads from left to right.
            let isTurned = line.inverse.map { $0.isToMany && !line.forward.isToMany } ?? false
            connect(isTurned ? line.target : line.source, target: isTurned ? line.source : line.target, kind: .line)
        }
        let rects = Components(layout).layout().boxes
        return positions.map { position in position.map { Corner(x: rects[$0].x, y: rects[$0].y) } }
    }
}
