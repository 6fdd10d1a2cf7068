import CoreData

/// A class that overrides all methods that Apple lets subclasses override, and counts the calls.
class Note: NSManagedObject {
    static let counts = CallCounts()

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    convenience init(text: String, context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(text, forKey: "text")
    }

    override class func entity() -> NSEntityDescription { super.entity() }
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override var managedObjectContext: NSManagedObjectContext? {
        counted("managedObjectContext", super.managedObjectContext)
    }
    override var entity: NSEntityDescription { counted("entity", super.entity) }
    override var objectID: NSManagedObjectID { counted("objectID", super.objectID) }
    override var isInserted: Bool { counted("isInserted", super.isInserted) }
    override var isUpdated: Bool { counted("isUpdated", super.isUpdated) }
    override var isDeleted: Bool { counted("isDeleted", super.isDeleted) }
    override var hasChanges: Bool { counted("hasChanges", super.hasChanges) }
    override var hasPersistentChangedValues: Bool { super.hasPersistentChangedValues }
    override var isFault: Bool { counted("isFault", super.isFault) }
    override var faultingState: Int { super.faultingState }
    override func hasFault(forRelationshipNamed key: String) -> Bool { super.hasFault(forRelationshipNamed: key) }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        super.objectIDs(forRelationshipNamed: key)
    }

    override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
    override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
    override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
    override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKeyPath keyPath: String) -> Any? { super.value(forKeyPath: keyPath) }
    override func setValue(_ value: Any?, forKeyPath keyPath: String) { super.setValue(value, forKeyPath: keyPath) }
    override func primitiveValue(forKey key: String) -> Any? { super.primitiveValue(forKey: key) }
    override func setPrimitiveValue(_ value: Any?, forKey key: String) { super.setPrimitiveValue(value, forKey: key) }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] { super.committedValues(forKeys: keys) }
    override func changedValues() -> [String: Any] { super.changedValues() }
    override func changedValuesForCurrentEvent() -> [String: Any] { super.changedValuesForCurrentEvent() }

    override func awakeFromFetch() { super.awakeFromFetch() }
    override func awakeFromInsert() { super.awakeFromInsert() }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { super.awake(fromSnapshotEvents: flags) }
    override func prepareForDeletion() { super.prepareForDeletion() }
    override func willSave() { super.willSave() }
    override func didSave() { super.didSave() }
    override func willTurnIntoFault() { super.willTurnIntoFault() }
    override func didTurnIntoFault() { super.didTurnIntoFault() }
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
    }
    override func validateForInsert() throws { try super.validateForInsert() }
    override func validateForUpdate() throws { try super.validateForUpdate() }
    override func validateForDelete() throws { try super.validateForDelete() }
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        Self.counts.record("observeValue \(keyPath ?? "") \(change?[.newKey] ?? "-")")
    }

    private func counted<Value>(_ name: String, _ value: Value) -> Value {
        Self.counts.record(name)
        return value
    }

    /// Returns a model with an entity of this class and a related entity of another class.
    static func model() -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = NSStringFromClass(Note.self)
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = true
        note.properties = [text]
        note.uniquenessConstraints = [["text"]]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }
}

/// The number of calls, by name.
final class CallCounts: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    func record(_ name: String) { lock.withLock { counts[name, default: 0] += 1 } }

    subscript(name: String) -> Int { lock.withLock { counts[name] ?? 0 } }

    var names: Set<String> { lock.withLock { Set(counts.keys) } }
}
