/// The cases of an enumeration, from its type's metadata.
struct EnumCases {
    /// The names. Cases with associated values come first, the others are in declared order.
    let names: [String]
    /// Whether a case has associated values.
    let hasPayload: Bool

    /// Reads the cases of a type; `nil` if it is not an enumeration.
    init?(_ type: any Any.Type) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == Self.enumKind else { return nil }
        let descriptor = metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
        // Context descriptor: flags, parent, name, access function, fields; then the numbers of cases.
        let counts = descriptor.load(fromByteOffset: 20, as: UInt32.self)
        hasPayload = counts & 0xFF_FFFF > 0
        guard let fields = Self.relative(descriptor + 16) else { return nil }
        let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        names = (0..<count).compactMap { index in
            Self.relative(fields + 16 + index * size + 8).map {
                String(cString: $0.assumingMemoryBound(to: CChar.self))
            }
        }
    }

    /// Returns the name of the case of a value, if no case has associated values. The value's coding keys may have
    /// other names.
    static func name<Value: Encodable>(of value: Value, _ names: [String]) -> String? {
        // The value is the number of the case.
        let number = withUnsafeBytes(of: value) { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
        return names.indices.contains(number) ? names[number] : nil
    }

    /// Returns the value of the case with a number, if no case has associated values.
    static func value<Value>(_ type: Value.Type, number: Int) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { location in
            let bytes = UnsafeMutableRawBufferPointer(location)
            for index in 0..<MemoryLayout<Value>.size {
                bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index))
            }
            return location[0]
        }
    }

    /// Returns the raw values of the cases, as key-value coding has them; `nil` if the type has none that stores hold.
    static func rawValues(of type: any Any.Type) -> [Any]? {
        func read<R: RawRepresentable>(_: R.Type) -> [Any]? {
            allValues(of: R.self)?.compactMap { ($0.rawValue as? any SimpleValue)?.storedObject }
        }
        return (type as? any RawRepresentable.Type).flatMap { read($0) }
    }

    /// Returns the values of all cases in declared order; `nil` if a case has associated values.
    static func allValues<Value>(of type: Value.Type) -> [Value]? {
        guard _isPOD(Value.self), let cases = EnumCases(Value.self), !cases.hasPayload else { return nil }
        return cases.names.indices.map { value(Value.self, number: $0) }
    }

    private static let enumKind: UInt = 0x201

    private static func relative(_ location: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = location.load(as: Int32.self)
        return offset == 0 ? nil : location + Int(offset)
    }
}
