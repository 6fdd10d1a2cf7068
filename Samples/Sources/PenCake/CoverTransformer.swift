import CoreData

/// A transformer between covers and archives. It rejects all other classes in the bytes of a store.
final class CoverTransformer: NSSecureUnarchiveFromDataTransformer {
    /// The name of the transformer in the model.
    static let name = NSValueTransformerName(rawValue: String(describing: CoverTransformer.self))

    override static var allowedTopLevelClasses: [AnyClass] { [Cover.self] }

    /// Registers the transformer. Call this before loading the store.
    static func register() {
        ValueTransformer.setValueTransformer(CoverTransformer(), forName: name)
    }
}
