internal import Diagnostics
internal import ModelSource
internal import ModelcDriver

extension EditorSession {
    /// The text of a file that cannot be edited as a model, with its errors.
    package struct DamagedSource: Codable, Sendable {
        /// An error with its location.
        package struct Problem: Codable, Sendable {
            /// The line, from 1; `nil` for the file as a whole.
            package var line: Int?
            /// The column, from 1.
            package var column: Int?
            /// The problem.
            package var message: String
            /// What to do about it.
            package var help: String?
        }

        package var text: String
        /// The errors; empty if the text is a valid model.
        package var problems: [Problem]
    }

    /// Returns the text of a version whose file cannot be edited, with the repairs so far; `nil` for other versions.
    package func damagedSource(of version: String) -> DamagedSource? {
        guard let document = document(version), !document.isEditable else { return nil }
        let text = drafts[version] ?? String(decoding: SourceText(document.base).utf8, as: UTF8.self)
        return DamagedSource(text: text, problems: problems(in: text, of: document))
    }

    /// Checks a text that is to replace a damaged file, and stores it in the journal.
    ///
    /// - Throws: `EditRejection` if the version is not damaged, or edits are rejected.
    package func check(_ text: String, of version: String) throws(EditRejection) -> DamagedSource {
        try requireEditing()
        let document = try damagedDocument(version)
        if drafts[version] != text {
            drafts[version] = text
            write(.draft(version: version, text: text))
        }
        return DamagedSource(text: text, problems: problems(in: text, of: document))
    }

    /// Replaces a damaged file with a text, if the text is a valid model.
    ///
    /// - Returns: The errors of the text, in which case nothing was written; `nil` if the file was written.
    /// - Throws: `EditRejection` if the version is not damaged, or its file cannot be written.
    package func repair(_ version: String, with text: String) throws(EditRejection) -> DamagedSource? {
        let checked = try check(text, of: version)
        let document = try damagedDocument(version)
        guard checked.problems.isEmpty, let bytes = encoded(text, like: document) else { return checked }
        do throws(FileSystemError) {
            try ModelFileSet.replace([(document.path, bytes, document.base)], files: files)
        } catch {
            throw EditRejection(
                "cannot \(error.action) “\(error.path)”: \(error.reason)",
                help: "The repaired text is still here, and in the journal. Save again once the cause is gone.")
        }
        replaceDamaged(version, bytes)
        return nil
    }

    private func damagedDocument(_ version: String) throws(EditRejection) -> VersionDocument {
        guard let document = document(version), !document.isEditable else {
            throw EditRejection("the file of “\(version)” needs no repair", help: "Reload the page.")
        }
        return document
    }

    private func problems(in text: String, of document: VersionDocument) -> [DamagedSource.Problem] {
        guard let bytes = encoded(text, like: document) else {
            return [
                .init(message: "the file’s encoding lacks a character of the text", help: "Use UTF-8, or remove it.")
            ]
        }
        return VersionDocument(name: document.name, path: document.path, bytes: bytes).problems.map {
            .init(line: $0.range?.start.line, column: $0.range?.start.column, message: $0.message, help: $0.help)
        }
    }

    /// Returns a text in the encoding and with the line breaks of a file. Browsers use only line feeds.
    private func encoded(_ text: String, like document: VersionDocument) -> [UInt8]? {
        let source = SourceText(document.base)
        let feeds = source.utf8.count { $0 == UInt8(ascii: "\n") }
        let returns = source.utf8.count { $0 == UInt8(ascii: "\r") }
        guard feeds > 0, feeds == returns else { return try? source.encode(Array(text.utf8)) }
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "\r") {
            if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\r")) }
            bytes.append(byte)
        }
        return try? source.encode(bytes)
    }
}
