internal import Foundation
internal import RuntimeSupport

/// Converts the values of a transformable attribute to bytes and back. Subclassed for attributes whose large values are
/// in files.
package class TransformableCoding: StoredCoding, StoredEncoding, @unchecked Sendable {
    private let name: String
    /// The name with that of its entity, if it is not the element of a composite attribute.
    private let label: String
    private let transformerName: String?
    /// Whether an unreadable value was already reported, which happens once for all rows.
    private var hasComplained = false
    private let lock = NSLock()

    package init(_ attribute: NSAttributeDescription) {
        name = attribute.name
        label = attribute.owner.map { "\($0.name ?? "").\(attribute.name)" } ?? attribute.name
        transformerName = attribute.valueTransformerName
    }

    // MARK: Columns

    /// Returns the file that a column refers to, or `nil` if it contains the value itself.
    package func file(in content: UnsafeRawBufferPointer) -> (any StoredFile)? { nil }

    /// Returns the bytes that a stored value has or refers to.
    ///
    /// - Throws: `UnreadableValue` if its file cannot be read.
    package func data(of stored: StoredBytes) throws -> Data { stored.bytes }

    /// Returns the column content for bytes.
    ///
    /// - Throws: An error of Cocoa's domain if a file cannot be written.
    package func column(for data: Data) throws -> Data { data }

    // MARK: Values

    /// Returns the transformer of the attribute: the named one, or else one for all archivable objects.
    ///
    /// Looked up each time, because programs may register transformers after the store was added.
    private final func transformer() -> ValueTransformer? {
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

    /// Returns the value of a column, which is not decoded before it is used.
    package final func value(of bytes: UnsafeRawBufferPointer) -> SlotValue {
        .stored(StoredBytes(Data(bytes), file: file(in: bytes), self))
    }

    /// Returns a new instance of a stored value.
    ///
    /// - Throws: `UnreadableValue` if there is no transformer, or it cannot read the value.
    package final func value(of stored: StoredBytes) throws -> SlotValue {
        let bytes = try data(of: stored)
        guard let transformer = transformer() else {
            throw UnreadableValue(description: "there is no value transformer “\(transformerName ?? "")”")
        }
        if transformer === AnyArchiveTransformer.shared {
            let value: Any?
            do {
                value = try AnyArchiveTransformer.object(in: bytes)
            } catch {
                throw UnreadableValue(description: "\(error)")
            }
            return value.flatMap { ValueConversion.slotValue($0, .transformableAttributeType) } ?? .null
        }
        let value =
            Self.readsForward(transformer)
            ? transformer.transformedValue(bytes) : transformer.reverseTransformedValue(bytes)
        guard let value = Unwrapping.value(value),
            let slot = ValueConversion.slotValue(value, .transformableAttributeType)
        else { throw UnreadableValue(description: "\(type(of: transformer)) makes no object of the stored bytes") }
        return slot
    }

    /// Reports an unreadable value, once for all rows.
    package final func report(_ error: any Error) {
        let wasReported = lock.withLock {
            defer { hasComplained = true }
            return hasComplained
        }
        guard !wasReported else { return }
        Log.error("values of “\(label)” cannot be read: \(error)")
    }

    /// Returns a value as the store keeps it; `nil` for null, and for bytes of the same attribute.
    package final func encoded(_ value: SlotValue) throws -> SlotValue? {
        switch value {
        case .null: return nil
        case .stored(let stored) where stored.coding === self && stored.file == nil: return nil
        case .stored(let stored) where stored.decoded == nil && stored.coding !== self:
            guard let other = stored.coding as? TransformableCoding, other.transformerName == transformerName else {
                return try content(of: value).withUnsafeBytes { self.value(of: $0) }
            }
            // The same transformer has written the bytes, which may not be registered here.
            let bytes = try other.storedBytes(of: stored)
            return try column(for: bytes).withUnsafeBytes { self.value(of: $0) }
        default: return try content(of: value).withUnsafeBytes { self.value(of: $0) }
        }
    }

    package final func adopted(_ value: SlotValue) -> SlotValue? {
        guard case .stored(let stored) = value, stored.coding !== self else { return nil }
        return stored.bytes.withUnsafeBytes { self.value(of: $0) }
    }

    /// Returns the bytes for a column.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134030 if there is no transformer, or it does not convert the
    ///   value to bytes.
    package final func content(of value: SlotValue) throws -> Data {
        guard let transformer = transformer() else { throw failure("its value transformer is not registered") }
        let object = try readable(value).anyValue
        let stored =
            Self.readsForward(transformer)
            ? transformer.reverseTransformedValue(object) : transformer.transformedValue(object)
        guard let data = Unwrapping.value(stored) as? Data else {
            throw failure("\(type(of: transformer)) makes no bytes of a \(object.map { "\(type(of: $0))" } ?? "nil")")
        }
        let kept = Self.readsForward(transformer) ? StoreReproduction.ordered(data) : data
        return try column(for: kept)
    }

    /// Returns what the transformer has written.
    ///
    /// - Throws: An error of Cocoa's domain if the value is in a file that cannot be read.
    private final func storedBytes(of stored: StoredBytes) throws -> Data {
        do {
            return try data(of: stored)
        } catch {
            throw failure("it cannot be read: \(error)")
        }
    }

    private final func readable(_ value: SlotValue) throws -> SlotValue {
        guard case .stored(let stored) = value else { return value }
        do {
            return try stored.decoded ?? stored.decode()
        } catch {
            throw failure("it cannot be read: \(error)")
        }
    }

    private final func failure(_ reason: String) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text: "the value of the transformable attribute “\(label)” cannot be stored: \(reason)",
            userInfo: [NSValidationKeyErrorKey: name])
    }
}
