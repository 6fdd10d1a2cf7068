internal import Foundation

struct UUIDValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        [[UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 16)].compactMap { UUID(bytes: $0) }
            + [UUID(from: &numbers)]
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { UUID(from: &numbers) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? { UUID(from: &numbers) }

    func value(of text: String) -> Any? { UUID(uuidString: text) }
}

extension UUID {
    /// Creates a UUID from 16 bytes.
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// Creates a UUID of version 4.
    init(from numbers: inout SeededNumbers) {
        var bytes = numbers.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
