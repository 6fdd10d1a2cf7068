internal import CoreData
internal import Foundation

/// Leaves the bytes of transformable attributes unchanged, so that no class that a store names is ever instantiated.
final class RawValueTransformer: ValueTransformer {
    /// The transformer name that replaces those of the attributes in browsed models.
    static let name = NSValueTransformerName("ModelcStudioRawValue")

    /// Registers the transformer with the runtime.
    static func register() { ValueTransformer.setValueTransformer(RawValueTransformer(), forName: name) }

    override class func transformedValueClass() -> AnyClass { NSData.self }

    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
