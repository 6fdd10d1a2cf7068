internal import CoreData
internal import Foundation

extension DefaultSnapshot {
    /// Takes the values of an object.
    init(_ object: NSManagedObject, _ identifier: (NSManagedObjectID) -> PersistentIdentifier) throws {
        let info = (object as? ModelObject)?.core?.info
        try self.init(object, of: info, identifier)
    }

    /// Takes the values of an object.
    ///
    /// - Throws: An error if a value transformer is missing or does not convert a value.
    init(
        _ object: NSManagedObject, of info: ModelInfo?, _ identifier: (NSManagedObjectID) -> PersistentIdentifier
    ) throws {
        var values: [String: SnapshotValue] = [:]
        for property in info?.properties ?? [] {
            guard let slot = object.slotNumber(of: property.name) else { continue }
            if property.access.isToMany {
                values[property.name] = .list(
                    object.members(ofSlot: slot).map { .identifier(identifier($0.currentID)) })
            } else if property.access.destination != nil {
                let other = object.object(ofSlot: slot)
                values[property.name] = other.map { .identifier(identifier($0.currentID)) } ?? .null
            } else {
                values[property.name] = try SnapshotValue(object.value(ofSlot: slot), of: property)
            }
        }
        self.init(identifier(object.currentID), values)
    }

    /// Returns the values in the form that snapshots of objects have. Decoded ones may have another form: JSON has no
    /// dates.
    func normalized(_ info: ModelInfo) -> DefaultSnapshot {
        var values = values
        for property in info.properties where property.access.destination == nil {
            // What is not valid is reported when the values are used.
            guard let value = values[property.name], value != .null, property.transformerName == nil,
                let stored = try? value.stored(property.access.kind, property.name)
            else { continue }
            values[property.name] = SnapshotValue(stored: stored, property.access.kind)
        }
        return DefaultSnapshot(persistentIdentifier, values)
    }

    /// Returns the values of attributes as in key-value coding, and of relationships by a function.
    func storedValues(
        _ info: ModelInfo, _ reference: (PersistentIdentifier) throws -> Any?
    ) throws -> [String: Any] {
        var stored: [String: Any] = [:]
        for property in info.properties {
            let value = values[property.name] ?? .null
            if property.access.isToMany {
                guard case .list(let members) = value else {
                    stored[property.name] = [Any]()
                    continue
                }
                stored[property.name] = try members.compactMap { try $0.identifier.flatMap(reference) }
            } else if property.access.destination != nil {
                stored[property.name] = try value.identifier.flatMap(reference) ?? NSNull()
            } else if let object = try value.stored(property, "\(info.entityName).\(property.name)") {
                stored[property.name] = object
            }
        }
        return stored
    }
}

extension SnapshotValue {
    /// Takes a value of key-value coding.
    fileprivate init(_ stored: Any?, of property: ModelProperty) throws {
        guard let stored, let name = property.transformerName else {
            self.init(stored: stored, property.access.kind)
            return
        }
        let (transformer, readsForward) = try Self.transformer(name, property)
        let data = readsForward ? transformer.reverseTransformedValue(stored) : transformer.transformedValue(stored)
        guard let data = data as? Data else { throw Self.failure("\(name) makes no data of “\(property.name)”") }
        self = .data(data)
    }

    /// Returns the value as in key-value coding.
    fileprivate func stored(_ property: ModelProperty, _ label: String) throws -> Any? {
        guard let name = property.transformerName, self != .null else {
            return try stored(property.access.kind, label)
        }
        let (transformer, readsForward) = try Self.transformer(name, property)
        guard let data = simple(Data.self) else { throw wrong(label) }
        let object = readsForward ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        guard let object else { throw Self.failure("\(name) makes no value of the data of “\(label)”") }
        return object
    }

    /// Returns a transformer, and whether it makes objects of data, as those for archives do; others make data of
    /// objects.
    private static func transformer(
        _ name: String, _ property: ModelProperty
    ) throws -> (transformer: ValueTransformer, readsForward: Bool) {
        guard let transformer = ValueTransformer(forName: NSValueTransformerName(name)) else {
            throw failure("the value transformer \(name) of “\(property.name)” is not registered")
        }
        return (transformer, transformer is NSSecureUnarchiveFromDataTransformer)
    }

    private static func failure(_ reason: String) -> SwiftDataError {
        SwiftDataError(.modelValidationFailure, reason)
    }

    /// Takes a value of key-value coding.
    init(stored: Any?, _ kind: PropertyKind?) {
        guard let stored else {
            self = .null
            return
        }
        switch kind {
        case .simple(let type): self = Self.simple(stored, type)
        case .rawEnum(let raw): self = .object((stored as? [String: Any] ?? [:]).mapValues { Self.simple($0, raw) })
        case .caseEnum: self = .object((stored as? [String: Any] ?? [:]).mapValues { Self.simple($0, String.self) })
        case .structure(let elements):
            let values = stored as? [String: Any] ?? [:]
            var result: [String: SnapshotValue] = [:]
            for element in elements { result[element.name] = SnapshotValue(stored: values[element.name], element.kind) }
            self = .object(result)
        case .array(let type):
            let elements = (stored as? NSArray).map { Array($0) } ?? stored as? [Any] ?? []
            self = .list(elements.map { Self.simple($0, type) })
        default: self = (stored as? Data).map { .data($0) } ?? .null
        }
    }

    private static func simple(_ stored: Any, _ type: any SimpleValue.Type) -> SnapshotValue {
        guard let value = type.init(storedObject: stored) else { return .null }
        return switch value {
        case let value as Bool: .bool(value)
        case let value as any SimpleInteger: .integer(Int64(truncatingIfNeeded: value))
        case let value as Decimal: .decimal(value, double: NSDecimalNumber(decimal: value).doubleValue)
        case let value as String: .string(value)
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as UUID: .string(value.uuidString)
        case let value as URL: .string(value.absoluteString)
        default: .double((stored as? NSNumber)?.doubleValue ?? 0)
        }
    }

    /// The identifier of a related model.
    fileprivate var identifier: PersistentIdentifier? {
        if case .identifier(let identifier) = self { identifier } else { nil }
    }

    /// Returns the value as in key-value coding.
    fileprivate func stored(_ kind: PropertyKind?, _ property: String) throws -> Any? {
        if case .null = self { return nil }
        let converted: Any?
        switch kind {
        case .simple(let type): converted = simple(type)
        case .rawEnum(let raw): converted = try elements { try $0.required(raw, property) }
        case .caseEnum: converted = try elements { try $0.required(String.self, property) }
        case .structure(let list):
            guard case .object(let values) = self else {
                converted = nil
                break
            }
            var result: [String: Any] = [:]
            for element in list {
                result[element.name] = try values[element.name]?.stored(element.kind, "\(property).\(element.name)")
            }
            converted = result
        case .array(let type):
            if case .list(let list) = self {
                converted = NSArray(array: try list.map { try $0.required(type, property) })
            } else {
                converted = nil
            }
        default: converted = simple(Data.self)
        }
        guard let converted else { throw wrong(property) }
        return converted
    }

    private func elements(_ convert: (SnapshotValue) throws -> Any) throws -> [String: Any]? {
        guard case .object(let values) = self else { return nil }
        return try values.filter { $0.value != .null }.mapValues(convert)
    }

    private func required(_ type: any SimpleValue.Type, _ property: String) throws -> Any {
        guard let value = simple(type) else { throw wrong(property) }
        return value
    }

    private func wrong(_ property: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [], debugDescription: "the value of “\(property)” in a snapshot has another type: \(self)"))
    }

    private static func data(_ list: [SnapshotValue]) -> Data? {
        let bytes = list.compactMap { ($0.simple(Int.self) as? NSNumber).flatMap { UInt8(exactly: $0.intValue) } }
        return bytes.count == list.count ? Data(bytes) : nil
    }

    /// Returns the number that a coder without a form for decimal numbers, such as that of property lists, has written
    /// as an object.
    private static func decimal(_ fields: [String: SnapshotValue]) -> NSDecimalNumber? {
        (try? PropertyListEncoder().encode(fields)).flatMap {
            try? PropertyListDecoder().decode(Decimal.self, from: $0)
        }
        .map { NSDecimalNumber(decimal: $0) }
    }

    /// Returns a simple value. Formats such as JSON have no types for dates, data and other values.
    private func simple(_ type: any SimpleValue.Type) -> Any? {
        switch (type, self) {
        case (is Date.Type, .ambiguous(_, let date)): date
        case (_, .ambiguous(let value, _)): value.simple(type)
        case (is Bool.Type, .bool(let value)): NSNumber(value: value)
        case (is Date.Type, .date(let value)): value
        case (is Date.Type, .string(let text)):
            try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
        case (is Date.Type, .integer(let value)): Date(timeIntervalSinceReferenceDate: Double(value))
        case (is Date.Type, .double(let value)): Date(timeIntervalSinceReferenceDate: value)
        case (is Date.Type, .decimal(_, let value)): Date(timeIntervalSinceReferenceDate: value)
        case (is Data.Type, .data(let value)): value
        case (is Data.Type, .string(let text)): Data(base64Encoded: text)
        case (is Data.Type, .list(let bytes)): Self.data(bytes)
        case (is UUID.Type, .string(let text)): UUID(uuidString: text)
        case (is URL.Type, .string(let text)): URL(string: text)
        case (is String.Type, .string(let text)): text
        case (is Decimal.Type, .decimal(let value, _)): NSDecimalNumber(decimal: value)
        case (is Decimal.Type, .integer(let value)): NSDecimalNumber(value: value)
        case (is Decimal.Type, .object(let fields)): Self.decimal(fields)
        case (is any SimpleInteger.Type, .integer(let value)): NSNumber(value: value)
        case (is any BinaryFloatingPoint.Type, .double(let value)): NSNumber(value: value)
        case (is any BinaryFloatingPoint.Type, .integer(let value)): NSNumber(value: Double(value))
        case (is any BinaryFloatingPoint.Type, .decimal(_, let value)): NSNumber(value: value)
        default: nil
        }
    }
}
