internal import CompiledModel
internal import Foundation

/// A file format of atomic stores.
protocol StoreFormat: Sendable {
    /// The type of the stores, such as `NSXMLStoreType`.
    static var storeType: String { get }
    /// The format's name in messages, with its article.
    static var title: String { get }
    /// The number before that of the first object.
    static var firstNumber: Int64 { get }
    /// The number of bytes that `recognizes(_:)` examines.
    static var prefixLength: Int { get }

    /// Returns whether a file with this prefix has the format, valid or damaged. Not called for an empty file.
    static func recognizes(_ prefix: [UInt8]) -> Bool

    /// Reads a file.
    ///
    /// - Throws: `StoredContentsError`.
    static func contents(of bytes: [UInt8]) throws -> StoredContents

    /// Returns the bytes of a file. Deterministic.
    static func bytes(of contents: StoredContents) -> [UInt8]

    /// Returns whether a file can hold a value of the metadata. True by default.
    static func canHold(_ value: PropertyListValue) -> Bool

    /// Whether files contain the names of entities in upper case and those of properties in lower case.
    static var foldsNames: Bool { get }
}

extension StoreFormat {
    static func canHold(_ value: PropertyListValue) -> Bool { true }
}
