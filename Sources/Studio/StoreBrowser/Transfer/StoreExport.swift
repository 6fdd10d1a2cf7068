internal import CoreData
internal import Foundation

/// An export: the list that a query finds among what is saved, at one moment.
///
/// It has its own connection to the store. One thread at a time may use it.
package final class StoreExport: @unchecked Sendable {
    private let session: StoreSession
    private let query: ListQuery
    private let format: ExportFormat
    private let escapesFormulas: Bool
    private var file: FileHandle?

    /// The number of objects that are in memory at once.
    private static let partSize = 500
    /// How often the export starts again because another program has written meanwhile.
    private static let attempts = 5

    /// Opens an export.
    ///
    /// - Throws: `StoreProblem` if the query is invalid.
    init(
        session: StoreSession, query: ListQuery, format: ExportFormat, escapesFormulas: Bool
    ) throws(StoreProblem) {
        self.escapesFormulas = escapesFormulas
        self.session = session
        self.query = query
        self.format = format
        do {
            try session.stack.context.performAndWait { _ = try session.list(query) }
        } catch {
            throw StoreProblem(error)
        }
    }

    /// Writes the text to a new temporary file, which has no name.
    ///
    /// - Throws: `StoreProblem` if the store cannot be read at one moment, or if there is no room for the file.
    package func prepare() throws(StoreProblem) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = try? FileHandle(forUpdating: url)
        else { throw StoreProblem("the folder for temporary files cannot be written") }
        try? FileManager.default.removeItem(at: url)
        try write {
            try handle.truncate(atOffset: 0)
        } _: {
            try handle.write(contentsOf: Data($0.utf8))
        }
        do {
            try handle.seek(toOffset: 0)
        } catch {
            throw StoreProblem(error)
        }
        file = handle
    }

    /// Returns the next bytes of the prepared text; `nil` at its end.
    package func next() throws(StoreProblem) -> [UInt8]? {
        do {
            return try file?.read(upToCount: 1 << 18).flatMap { $0.isEmpty ? nil : [UInt8]($0) }
        } catch {
            throw StoreProblem(error)
        }
    }

    /// Writes the text in parts, from the start again if another program has written meanwhile.
    func write(
        start: () throws -> Void, _ part: (String) throws -> Void
    ) throws(StoreProblem) {
        do {
            for _ in 0..<Self.attempts {
                let stamp = session.fileStamp()
                try start()
                let isPinned = try writeOnce(part)
                if isPinned || session.fileStamp() == stamp { return }
                guard session.reopen() else { throw session.refreshProblem ?? StoreProblem("the store cannot be read") }
            }
        } catch {
            throw StoreProblem(error)
        }
        throw StoreProblem(
            "the store was changed again and again while it was read",
            help: "Try again when no other program writes it.")
    }

    /// - Returns: Whether the store kept the state that was read first.
    private func writeOnce(_ part: (String) throws -> Void) throws -> Bool {
        let context = session.stack.context
        return try context.performAndWait {
            if session.kind == .sqlite { try context.setQueryGenerationFrom(NSQueryGenerationToken.current) }
            let writer = try ExportWriter(
                session: session, query: query, format: format, escapesFormulas: escapesFormulas)
            var offset = 0
            while let text = try writer.text(from: offset, limit: Self.partSize) {
                try part(text)
                offset += Self.partSize
            }
            return session.stack.keepsGenerations
        }
    }
}
