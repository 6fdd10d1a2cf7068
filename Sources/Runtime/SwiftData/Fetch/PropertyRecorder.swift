/// Records which properties of models are read.
final class PropertyRecorder {
    /// The numbers of the models to read: each has other values than the others.
    static let rounds = 0..<4

    /// The number of the model, by which samples are chosen.
    let round: Int
    private var properties: [ModelProperty] = []
    /// The value of the last property.
    private var sample: Any?

    init(round: Int) { self.round = round }

    /// Returns a model whose reads are recorded.
    func model<T: PersistentModel>(_ type: T.Type) -> T {
        // Making a model reads its constants.
        let before = (properties, sample)
        defer { (properties, sample) = before }
        let core = DefaultBackingData<T>(for: type)
        core._core.recorder = self
        return T(backingData: core)
    }

    /// Records that a property was read.
    func record(_ property: ModelProperty, _ value: Any) {
        properties.append(property)
        sample = value
    }

    /// Returns the properties that a block reads, and the value of the last one.
    func record(_ body: () -> Void) -> (properties: [ModelProperty], sample: Any?) {
        // The values may be models that refer to the recorder.
        defer { (properties, sample) = ([], nil) }
        (properties, sample) = ([], nil)
        body()
        return (properties, sample)
    }
}
