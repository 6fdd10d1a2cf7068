internal import ModelGraph
internal import ModelSchema
internal import ModelSource

extension EditorSession {
    /// Returns automatic positions for the entities of a version, in the layout of `modelc graph`.
    ///
    /// - Parameter boxes: The sizes of the boxes; their positions are ignored. Entities without a box are left out.
    package func layout(of version: String, _ boxes: [CanvasBox]) -> [CanvasBox] {
        guard let model = try? document(version)?.modelDocument().model else { return [] }
        let sizes = Dictionary(boxes.filter(\.isPlausible).map { ($0.name, $0) }) { first, _ in first }
        var graph = ModelGraph(model, title: name)
        // An entity without a box has no position; one with a duplicate name shares the box of the first.
        var seen: Set<String> = []
        for index in graph.entities.indices {
            let entity = graph.entities[index]
            if sizes[entity.name] == nil || !seen.insert(entity.name).inserted { graph.entities[index].role = .missing }
        }
        let extents = graph.entities.map { entity in
            BoxArrangement.Box(
                width: Double(sizes[entity.name]?.width ?? 1), height: Double(sizes[entity.name]?.height ?? 1))
        }
        return zip(graph.entities, BoxArrangement.corners(of: extents, in: graph)).compactMap { entity, corner in
            guard let corner, var box = sizes[entity.name] else { return nil }
            box.x = Int(corner.x.rounded())
            box.y = Int(corner.y.rounded())
            return box
        }
    }
}
