internal import Foundation
internal import ModelSchema

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

struct URLValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        [
            "https://example.com/", "file:///tmp/a%20file.txt", "mailto:ada@example.com", "urn:isbn:0451450523",
            "relative/path",
            "https://user@example.com:8443/%F0%9F%99%82?query=a%26b&empty=#fragment", "https://xn--bcher-kva.example/",
        ].compactMap { URL(string: $0) }
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { numbered(numbers.below(1_000_000), &numbers) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        URL(string: "https://example.com/items/\(number)")
    }

    func value(of text: String) -> Any? { URL(string: text) }
}

/// Bytes. Values above 100 KB are stored in a file if the attribute allows it.
struct DataValues: ValueGenerator {
    private let allowsFiles: Bool
    /// The maximum number of bytes that a store keeps in a row if the attribute allows files.
    private static let threshold = 100 * 1024

    init(_ attribute: Attribute) {
        allowsFiles = attribute.allowsExternalBinaryStorage
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var values = [Data(), Data([0]), Data([2]), Data(0...255), Data(numbers.bytes(4096))]
        if allowsFiles {
            values += [Self.threshold, Self.threshold + 1, 3 * Self.threshold].map { Data(numbers.bytes($0)) }
        }
        return values
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { Data(numbers.bytes(1 + numbers.below(64))) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
    }

    func value(of text: String) -> Any? { nil }
}
