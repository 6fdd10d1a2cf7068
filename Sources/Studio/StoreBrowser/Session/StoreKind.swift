internal import CoreData
internal import ModelcDriver
internal import StoreFile

/// The format of a store's file.
enum StoreKind: String, Sendable {
    case sqlite = "SQLite"
    case xml = "XML"
    case binary = "binary"

    /// The runtime's name of the store type.
    var storeType: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        }
    }

    /// Recognizes the format of a file.
    ///
    /// - Throws: If there is no file, or if it does not have the format of a Core Data store.
    init(_ path: String, _ files: any FileSystem) throws(StoreProblem) {
        guard case .file? = files.kind(of: path) else {
            throw StoreProblem("there is no file at “\(path)”", help: "Check the path.")
        }
        guard let head = try? files.readHead(path, count: 4096) else {
            throw StoreProblem("“\(path)” cannot be read", help: "Check the permissions of the file.")
        }
        if DatabaseHeader.begins(head) {
            self = .sqlite
        } else if head.starts(with: Array("MODELC-STORE".utf8)) {
            self = .binary
        } else if head.starts(with: Array("bplist".utf8)) || head.starts(with: Array("CDBF".utf8)) {
            throw StoreProblem(
                "the file is a binary store of Apple’s framework, whose format is not documented",
                help: "Migrate the store to SQLite on a Mac.")
        } else if String(decoding: head, as: UTF8.self).contains("<database") {
            self = .xml
        } else if head.isEmpty {
            throw StoreProblem("the file is empty", help: "Specify a store that an app has saved.")
        } else {
            throw StoreProblem(
                "the file is not a SQLite, XML or binary store of Core Data",
                help:
                    "If the store is encrypted (SQLCipher encrypts the header, too), decrypt a copy with the app’s key first. "
                    + "If it is damaged, restore it from a backup.")
        }
    }
}
