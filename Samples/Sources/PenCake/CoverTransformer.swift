import CoreData

/// Turns covers into archives and back, and nothing else: no other class comes out of a store's bytes.
final class CoverTransformer: NSSecureUnarchiveFromDataTransformer {
    /// The name that the attribute has in the model.
    static let name = NSValueTransformerName(rawValue: String(describing: CoverTransformer.self))

    override static var allowedTopLevelClasses: [AnyClass] { [Cover.self] }

    /// Makes the transformer known. To be called before the store is loaded.
    static func register() {
        ValueTransformer.setValueTransformer(CoverTransformer(), forName: name)
    }
}
