internal import Foundation

/// A file format of atomic stores.
protocol StoreFormat: Sendable {
    /// The type of the stores, as `NSXMLStoreType`.
    static var storeType: String { get }
    /// What the format is called in messages.
    static var title: String { get }
    /// The number before that of the first object.
    static var firstNumber: Int64 { get }
    /// How many bytes `recognizes(_:)` looks at.
    static var prefixLength: Int { get }

    /// Returns whether a file that begins like this is of the format, sound or damaged. An empty file is not asked
    /// about.
    static func recognizes(_ prefix: [UInt8]) -> Bool

    /// Reads a file.
    ///
    /// - Throws: `StoredContentsError`.
    static func contents(of bytes: [UInt8]) throws -> StoredContents

    /// Returns the bytes of a file. The same content gives the same bytes.
    static func bytes(of contents: StoredContents) -> [UInt8]

    /// Whether files have the names of entities in upper case and those of properties in lower case.
    static var foldsNames: Bool { get }
}
