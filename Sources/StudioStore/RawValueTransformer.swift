internal import CoreData
internal import Foundation

/// Leaves the bytes of transformable attributes as they are: no class that a store names is ever instantiated.
final class RawValueTransformer: ValueTransformer {
    /// The name that attributes of browsed models have in place of their own transformer's.
    static let name = NSValueTransformerName("ModelcStudioRawValue")

    /// Makes the transformer known to the runtime.
    static func register() { ValueTransformer.setValueTransformer(RawValueTransformer(), forName: name) }

    override class func transformedValueClass() -> AnyClass { NSData.self }

    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
