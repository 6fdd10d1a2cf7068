internal import Foundation
internal import ModelSchema

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
