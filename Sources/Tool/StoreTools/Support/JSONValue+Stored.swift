internal import CoreData
internal import Diagnostics
internal import Foundation

extension JSONValue {
    /// A value as SQLite stores it: bytes, and text that is not valid UTF-8, as `{"$data": BASE64}`; an integer that is
    /// too large for this computer, and a number that is not finite, as text.
    init(_ value: StoreContents.Value) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = Int(exactly: number).map { .integer($0) } ?? .string("\(number)")
        case .real(let number): self = number.isFinite ? .real(number) : .string("\(number)")
        case .text(let bytes):
            self = String(bytes: bytes, encoding: .utf8).map { .string($0) } ?? Self.data(bytes)
        case .bytes(let bytes): self = Self.data(bytes)
        }
    }

    private static func data(_ bytes: [UInt8]) -> JSONValue {
        .object([("$data", .string(Data(bytes).base64EncodedString()))])
    }
}
