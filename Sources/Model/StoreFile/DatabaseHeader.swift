/// The first bytes of SQLite databases.
package enum DatabaseHeader {
    /// What every database begins with, unless it is empty.
    package static let magic = Array("SQLite format 3\u{0}".utf8)

    /// Returns whether a file that begins with some bytes is a database.
    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// Returns whether a database that begins with some bytes is in WAL mode.
    package static func isInLogMode(_ bytes: [UInt8]) -> Bool { bytes.count >= 20 && bytes[18..<20].contains(2) }
}
