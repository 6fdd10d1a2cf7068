/// Records which properties of models are read.
final class PropertyRecorder {
    /// The numbers of the models to read: each has other values than the others.
    static let rounds = 0..<4
    /// The number of reads after which relationships are empty: a computed property of a tree that calls itself for
    /// each parent or child would not return. No key path has as many properties.
    private static let readLimit = 32

    /// The number of the model, by which samples are chosen.
    let round: Int
    private var properties: [ModelProperty] = []
    /// The value of the last property.
    private var sample: Any?
    private var readCount = 0
    /// The thread of a recording that may have to be abandoned.
    private var thread: RecordingThread?
    /// The property without a sample whose reading ended the recording.
    private(set) var obstacle: ModelProperty?

    init(round: Int) { self.round = round }

    /// Returns a model whose reads are recorded; `nil` if none can be made, because its initializer reads constants
    /// without a sample.
    func model<T: PersistentModel>(_ type: T.Type) -> T? {
        guard canMake(type) else { return nil }
        // Making a model reads its constants.
        let before = (properties, sample)
        defer { (properties, sample) = before }
        let core = DefaultBackingData<T>(for: type)
        core._core.recorder = self
        return T(backingData: core)
    }

    /// Returns a model for a relationship that can be empty; `nil` also after too many reads.
    func destination<T: PersistentModel>(_ type: T.Type) -> T? {
        readCount < Self.readLimit ? model(type) : nil
    }

    /// Whether the constants of a class that have no initial value have samples.
    private func canMake(_ type: any PersistentModel.Type, for owners: Set<ObjectIdentifier> = []) -> Bool {
        let owners = owners.union([ObjectIdentifier(type)])
        return ModelInfo.of(type).constantProperties.allSatisfy { property in
            if property.defaultValue != nil { return true }
            guard property.access.destination != nil else { return property.access.hasSample(self) }
            guard let required = property.valueType as? any PersistentModel.Type else { return true }
            return !owners.contains(ObjectIdentifier(required)) && canMake(required, for: owners)
        }
    }

    /// Returns a value for a property that is read, and records this.
    func value<Value>(of property: ModelProperty, _ access: TypedAccess<Value>) -> Value {
        readCount += 1
        guard let value = access.sample(self) ?? property.defaultValue as? Value else {
            obstacle = property
            guard let thread else {
                fatalError("SwiftData: “\(property.name)” cannot be part of a key path over several properties")
            }
            thread.abandon()
        }
        properties.append(property)
        sample = value
        return value
    }

    /// Whether all properties have samples: those of a class, and of those to which its relationships lead.
    private func hasSamples(_ type: any PersistentModel.Type) -> Bool {
        var classes: Set<ObjectIdentifier> = []
        func check(_ info: ModelInfo) -> Bool {
            guard classes.insert(info.identifier).inserted else { return true }
            return info.properties.allSatisfy { property in
                guard let destination = property.access.destination else {
                    return property.defaultValue != nil || property.access.hasSample(self)
                }
                let isRequired = property.valueType is any PersistentModel.Type
                return (!isRequired || canMake(destination)) && check(ModelInfo.of(destination))
            }
        }
        return check(ModelInfo.of(type))
    }

    /// Returns the properties that a block reads of models of a class, and the value of the last one; `nil` if it
    /// reads one that has no sample.
    func record(
        _ type: any PersistentModel.Type, _ body: @escaping () -> Void
    ) -> (properties: [ModelProperty], sample: Any?)? {
        // The values may be models that refer to the recorder.
        defer { (properties, sample) = ([], nil) }
        (properties, sample, readCount) = ([], nil, 0)
        if hasSamples(type) {
            body()
        } else {
            let thread = RecordingThread()
            self.thread = thread
            thread.run(body)
            self.thread = nil
        }
        return obstacle == nil ? (properties, sample) : nil
    }
}
