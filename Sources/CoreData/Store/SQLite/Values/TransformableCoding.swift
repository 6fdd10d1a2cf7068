internal import Foundation

/// Converts the values of a transformable attribute to bytes and back.
final class TransformableCoding {
    private let entity: String
    private let name: String
    private let transformerName: String?
    private let external: ExternalStorage?
    /// Whether an unreadable value was already reported, which happens once for all rows.
    private var hasComplained = false

    /// - Parameter external: the storage for large values; nil if they stay in the row.
    init(_ attribute: NSAttributeDescription, external: ExternalStorage?) {
        name = attribute.name
        entity = attribute.entity.name ?? ""
        transformerName = attribute.valueTransformerName
        self.external = external
    }

    /// Returns the transformer of the attribute: the named one, or else one for all archivable objects.
    ///
    /// Looked up each time, because programs may register transformers after the store was added.
    private func transformer() -> ValueTransformer? {
        guard let transformerName, !transformerName.isEmpty, transformerName != "NSKeyedUnarchiveFromData" else {
            return AnyArchiveTransformer.shared
        }
        return ValueTransformer.registered(NSValueTransformerName(transformerName))
    }

    /// Returns whether a transformer's forward direction converts bytes to objects, as those for archives do. All
    /// others convert objects to bytes (Apple's documentation of `valueTransformerName`).
    private static func readsForward(_ transformer: ValueTransformer) -> Bool {
        transformer is NSSecureUnarchiveFromDataTransformer
    }

    /// Returns the value in the bytes of a column. Returns null if it cannot be read, which is reported on standard
    /// error.
    func value(of bytes: UnsafeRawBufferPointer) -> SlotValue {
        let stored = external.map { $0.data(in: bytes) } ?? Data(bytes)
        guard let stored else { return .null }
        guard let transformer = transformer() else {
            complain("there is no value transformer “\(transformerName ?? "")”")
            return .null
        }
        if transformer === AnyArchiveTransformer.shared {
            do {
                let value = try AnyArchiveTransformer.object(in: stored)
                return value.flatMap { ValueConversion.slotValue($0, .transformableAttributeType) } ?? .null
            } catch {
                complain("\(error)")
                return .null
            }
        }
        let value =
            Self.readsForward(transformer)
            ? transformer.transformedValue(stored) : transformer.reverseTransformedValue(stored)
        guard let value = ValueConversion.unwrapped(value) else { return .null }
        return ValueConversion.slotValue(value, .transformableAttributeType) ?? .null
    }

    private func complain(_ reason: String) {
        guard !hasComplained else { return }
        hasComplained = true
        Log.error("values of “\(entity).\(name)” cannot be read: \(reason)")
    }

    /// Returns the bytes for a column.
    ///
    /// - Throws: an error of Cocoa's domain with the code 134030 if there is no transformer, or it does not convert the
    ///   value to bytes.
    func content(of value: SlotValue) throws -> Data {
        guard let transformer = transformer() else { throw failure("its value transformer is not registered") }
        let object = value.anyValue
        let stored =
            Self.readsForward(transformer)
            ? transformer.reverseTransformedValue(object) : transformer.transformedValue(object)
        guard let data = ValueConversion.unwrapped(stored) as? Data else {
            throw failure("\(type(of: transformer)) makes no bytes of a \(object.map { "\(type(of: $0))" } ?? "nil")")
        }
        let kept = Self.readsForward(transformer) ? StoreReproduction.ordered(data) : data
        return try external?.content(of: kept) ?? kept
    }

    private func failure(_ reason: String) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            "the value of the transformable attribute “\(entity).\(name)” cannot be stored: \(reason)",
            [NSValidationKeyErrorKey: name])
    }
}
