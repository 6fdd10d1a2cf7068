internal import Diagnostics
internal import ModelSource

/// A version that is being edited. Saving preserves every byte that is not affected by an edit.
struct VersionDocument: Sendable {
    let name: String
    /// The path of the `contents` file.
    let path: String
    /// The bytes of the file on disk, as last read or written.
    private(set) var base: [UInt8]
    /// The document of `base`; `nil` if the file cannot be edited.
    private(set) var baseDocument: XMLNodeDocument?
    /// The edited elements, or the readable ones if the file cannot be edited.
    var root: XMLNode
    /// The errors that prevent edits of the file.
    private(set) var problems: [Diagnostic] = []

    /// Whether the file is written again although it was removed on disk.
    var isRestored = false
    /// Whether the edited version replaces a file on disk that cannot be read.
    private var overwrites = false

    /// Reads a file.
    init(name: String, path: String, bytes: [UInt8]) {
        self.name = name
        self.path = path
        base = bytes
        root = XMLNode(name: "model")
        rebase(bytes)
        if let document = baseDocument ?? XMLNodeDocument(recovering: bytes), document.root.name == "model" {
            root = document.root
        }
    }

    /// Whether the file can be edited.
    var isEditable: Bool { baseDocument != nil }

    /// Whether there are unsaved edits.
    var isEdited: Bool { overwrites || baseDocument.map { $0.root != root } ?? false }

    /// Sets the bytes on disk, and keeps the edited elements.
    mutating func rebase(_ bytes: [UInt8]) {
        base = bytes
        isRestored = false
        overwrites = false
        problems = []
        do throws(ModelFormatter.CannotFormat) {
            baseDocument = try ModelFormatter.document(bytes, path: path)
        } catch {
            baseDocument = nil
            problems = error.diagnostics
        }
    }

    /// Sets the bytes on disk, which cannot be read and are replaced when the version is saved.
    mutating func overwrite(_ bytes: [UInt8]) {
        guard baseDocument != nil else { return }
        base = bytes
        overwrites = true
    }

    /// Returns the bytes to save: those on disk, with any edits applied.
    ///
    /// - Throws: If the file's encoding lacks a character.
    func bytes() throws(SourceText.CannotEncode) -> [UInt8] {
        guard let baseDocument, overwrites || baseDocument.root != root else { return base }
        var edited = baseDocument
        edited.root = root
        if overwrites { return try edited.bytes() }
        let canonical = try baseDocument.bytes()
        if canonical == base { return try edited.bytes() }
        let source = baseDocument.source
        let patched = LayoutPreservation.apply(
            from: source.text(of: canonical), to: source.text(of: try edited.bytes()),
            original: String(decoding: source.utf8, as: UTF8.self))
        guard let patched else { return try edited.bytes() }
        return try source.encode(Array(patched.utf8))
    }

    /// Returns whether a file, read back, has exactly the edited elements.
    func isRepresented(by bytes: [UInt8]) -> Bool {
        guard let copy = try? ModelFormatter.document(bytes, path: path) else { return false }
        return copy.root == root && copy.head == baseDocument?.head && copy.tail == baseDocument?.tail
    }

    /// Returns the edited version, read as every command reads it.
    ///
    /// - Throws: If it is not a model.
    func modelDocument() throws(ModelDocument.NotAModel) -> ModelDocument {
        let bytes = (try? bytes()) ?? base
        return try ModelDocument(bytes: bytes, path: path, name: name)
    }
}

extension SourceText {
    /// Returns the text of other bytes in this file's encoding.
    fileprivate func text(of bytes: [UInt8]) -> String { String(decoding: SourceText(bytes).utf8, as: UTF8.self) }
}
