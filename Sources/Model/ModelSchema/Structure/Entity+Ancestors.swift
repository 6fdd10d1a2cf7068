extension Entity {
    /// Returns the entities that this one inherits from, nearest first. An inheritance cycle is followed once.
    ///
    /// - Parameter entities: The entities of the model by name.
    package func ancestors(in entities: [String: Entity]) -> [Entity] {
        var result: [Entity] = []
        var names: Set = [name]
        var next = parentName
        while let name = next, names.insert(name).inserted, let parent = entities[name] {
            result.append(parent)
            next = parent.parentName
        }
        return result
    }
}
