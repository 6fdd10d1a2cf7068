internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// The changes that a folder needs so that it holds the generated files.
struct OutputPlan {
    enum State: CaseIterable {
        /// It does not exist.
        case new
        /// Its bytes differ.
        case changed
        /// It was generated for an entity that no longer needs it.
        case stale
        /// It is up to date.
        case unchanged
        /// It exists and belongs to the user.
        case kept
        /// It exists and is not a file that modelc generated from the model, so that it is not replaced.
        case foreign

        /// Whether something is written or removed.
        var isChange: Bool { self == .new || self == .changed || self == .stale }

        var dryRunWord: String {
            switch self {
            case .new: "write"
            case .changed: "update"
            case .stale: "remove"
            case .unchanged: "unchanged"
            case .kept: "keep"
            case .foreign: "refuse"
            }
        }

        var summaryWord: String {
            switch self {
            case .new: "written"
            case .changed: "updated"
            case .stale: "removed"
            case .unchanged: "unchanged"
            case .kept: "kept as edited"
            case .foreign: "refused"
            }
        }
    }

    struct Item {
        var path: String
        var state: State
        var oldBytes: [UInt8]?
        /// `nil` for a file that is removed.
        var newText: String?
        /// Whether the path is a symbolic link. Its target, which may be any file, is neither written nor shown.
        var isLink = false
        /// The reason why a foreign file is not replaced.
        var refusal: Diagnostic?
    }

    private let directory: String?
    private(set) var items: [Item] = []

    /// Compares generated files with what a folder holds.
    ///
    /// - Parameters:
    ///   - directory: The folder; `nil` to assume an empty one without accessing the disk.
    ///   - replacesForeignFiles: Whether files that modelc did not generate from the model are replaced.
    init(
        _ generated: [GeneratedFile], directory: String?, input: ModelInput, options: GenerationOptions,
        replacesForeignFiles: Bool = false, files: any FileSystem
    ) throws(InputFailure) {
        self.directory = directory
        guard let directory else {
            items = generated.map { Item(path: $0.name, state: .new, newText: $0.text) }
            return
        }
        try InputFailure.wrapping { () throws(FileSystemError) in
            let folder = try OutputFolder(directory, files: files)
            try SourceProtection([input.document.path], files: files).check(directory, isReplacedWhole: false)
            // Files need not be looked up in an empty folder, the usual case of a first run.
            let names = folder.exists ? try files.list(directory) : []
            let exists = !names.isEmpty
            for file in generated {
                var item = try Self.item(for: file, in: directory, exists: exists, files)
                if item.state == .changed, !item.isLink, !replacesForeignFiles {
                    item.refusal = Self.refusal(of: item, file, input.source)
                    if item.refusal != nil { item.state = .foreign }
                }
                items.append(item)
            }
            // With only some entities chosen, the files of the others are left alone.
            if exists, options.entityNames.isEmpty {
                var needed = Set(generated.map(\.name))
                if options.mode == .manual {
                    // Files may have been generated with `--entity`, so those of every existing entity may be wanted.
                    needed.formUnion(
                        input.document.model.entities.flatMap { entity in
                            [".swift", ".h", ".m"].map { "\(entity.className.name)+CoreDataProperties\($0)" }
                        })
                }
                let stale = try Self.staleItems(
                    in: directory, names.filter { !needed.contains($0) }, source: input.source, options: options,
                    files)
                // In a file system that ignores case, a file may have two of the names.
                let written = stale.isEmpty ? [] : Set(items.compactMap { files.identity(of: $0.path) })
                items += stale.filter { item in files.identity(of: item.path).map { !written.contains($0) } ?? true }
                items += try Self.copiesOfAnotherModel(
                    generated, in: directory, names: names, input: input, removes: replacesForeignFiles, files)
            }
        }
    }

    /// Computes and applies a plan atomically. Processes that write to the same folder are serialized.
    ///
    /// - Returns: The plan that was executed.
    static func apply(
        in directory: String?, files: any FileSystem, _ makePlan: () throws(InputFailure) -> OutputPlan
    ) throws(InputFailure) -> OutputPlan {
        let plan = try makePlan()
        try plan.requireOwnFiles()
        guard let directory, plan.items.contains(where: { $0.state.isChange }) else { return plan }
        let folder = try InputFailure.wrapping { () throws(FileSystemError) in
            try OutputFolder(directory, files: files)
        }
        return try folder.exclusively { () throws(InputFailure) in
            // Another process may have written what was still missing.
            let plan = try makePlan()
            try plan.requireOwnFiles()
            try InputFailure.wrapping { () throws(FileSystemError) in try plan.write(to: files) }
            return plan
        }
    }

    private func write(to files: any FileSystem) throws(FileSystemError) {
        var transaction = OutputTransaction(files: files)
        for item in items {
            let bytes = Array((item.newText ?? "").utf8)
            switch item.state {
            case .new: transaction.create(item.path, bytes)
            case .changed: try transaction.write(generated: item.path, bytes)
            case .stale: transaction.remove(item.path)
            case .unchanged, .kept, .foreign: break
            }
        }
        try transaction.commit()
    }

    /// Throws if there is a file in the way that must not be replaced.
    func requireOwnFiles() throws(InputFailure) {
        let refusals = items.compactMap(\.refusal)
        guard refusals.isEmpty else { throw InputFailure(diagnostics: refusals, exitCode: .couldNotRun) }
    }

    /// Returns the reason why a file must not be replaced, or `nil` if modelc generated it from the model.
    private static func refusal(of item: Item, _ file: GeneratedFile, _ source: GenerationSource) -> Diagnostic? {
        let head = String(decoding: (item.oldBytes ?? []).prefix(GeneratedHeader.length), as: UTF8.self)
        let reason: String
        let help: String
        switch GeneratedHeader.owner(of: head, fileName: file.name) {
        case .modelc(from: source.fileName): return nil
        case .modelc(let other):
            reason = "the file was generated from “\(other)”, and “\(source.fileName)” needs one of the same name"
            help =
                "Generate the models into different folders, or rename the class in one of them. If “\(other)” is the old "
                + "name of the model, replace its files with “modelc generate --force”."
        case .user:
            reason = "the file belongs to you: its header says that modelc does not write it again"
            help =
                "Set Codegen to Category/Extension to keep it, or remove it. “modelc generate --force” replaces it."
        case .unknown:
            if GeneratedHeader.hasHeader(head, of: file.text, source: source) { return nil }
            reason = "modelc did not generate the file from “\(source.fileName)”"
            help =
                "Move or remove the file, or generate into another folder. “modelc generate --force” replaces it."
        }
        return Diagnostic(
            .error, rule: .fileSystem, "cannot write: \(reason)", file: item.path, help: help + " Nothing was changed.")
    }

    private static func item(
        for file: GeneratedFile, in directory: String, exists: Bool, _ files: any FileSystem
    ) throws(FileSystemError) -> Item {
        let path = PathName.joined(directory, file.name)
        switch exists ? files.kind(of: path) : nil {
        case nil:
            return Item(path: path, state: .new, newText: file.text)
        case .file?:
            guard file.isRegenerated else { return Item(path: path, state: .kept, newText: file.text) }
            let old = try files.read(path)
            // Git may have changed the line ends.
            let isSame = TextLines.areEqual(old, file.text.utf8)
            var item = Item(path: path, state: isSame ? .unchanged : .changed, oldBytes: old, newText: file.text)
            item.isLink = !isSame && files.linkTarget(of: path) != nil
            return item
        case .some:
            // Throws, since it is not a file.
            _ = try OutputDestination(generated: path, files)
            return Item(path: path, state: .kept)
        }
    }

    /// Returns files of another model that declare the classes of generated files, if that model is no longer beside
    /// this one: it may be its old name. Files for single classes have the same names, and are in the way themselves.
    ///
    /// - Parameter removes: Whether the files are removed.
    private static func copiesOfAnotherModel(
        _ generated: [GeneratedFile], in directory: String, names: [String], input: ModelInput, removes: Bool,
        _ files: any FileSystem
    ) throws(FileSystemError) -> [Item] {
        let own = generated.filter { GeneratedHeader.isOfWholeModel($0.name) }
        guard !own.isEmpty else { return [] }
        let declared = Set(own.flatMap { declarations(in: $0.text) })
        let source = input.source
        var items: [Item] = []
        for name in names where GeneratedHeader.isOfWholeModel(name) && !own.contains(where: { $0.name == name }) {
            let path = PathName.joined(directory, name)
            guard case .file(let size)? = files.kind(of: path), size < 16 << 20 else { continue }
            let bytes = try files.read(path)
            let text = String(decoding: bytes, as: UTF8.self)
            guard case .modelc(let other) = GeneratedHeader.owner(of: text, fileName: name), other != source.fileName,
                files.kind(of: Self.path(of: other, beside: input)) == nil,
                let line = declarations(in: text).first(where: declared.contains)
            else { continue }
            var item = Item(path: path, state: removes ? .stale : .foreign, oldBytes: bytes)
            if !removes {
                item.refusal = Diagnostic(
                    .error, rule: .fileSystem,
                    "the file was generated from “\(other)”, and “\(source.fileName)” declares the same: “\(line)”",
                    file: path,
                    help:
                        "If “\(other)” is the old name of the model, remove the file, or let “modelc generate --force” "
                        + "remove it. Otherwise, generate the models into different folders. Nothing was changed.")
            }
            items.append(item)
        }
        return items
    }

    /// Returns the path of a model in the folder of the one that was read.
    private static func path(of name: String, beside input: ModelInput) -> String {
        let parts = input.document.path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.prefix { $0 != input.source.fileName }.joined(separator: "/")
        return folder.isEmpty ? name : PathName.joined(folder, name)
    }

    /// Returns the lines that begin an extension of a class.
    private static func declarations(in text: String) -> [Substring] {
        TextLines.split(text).filter { $0.hasPrefix("extension ") && $0.hasSuffix(" {") }
    }

    private static func staleItems(
        in directory: String, _ names: [String], source: GenerationSource, options: GenerationOptions,
        _ files: any FileSystem
    ) throws(FileSystemError) -> [Item] {
        var items: [Item] = []
        for name in names {
            guard
                GeneratedHeader.isGeneratedName(name, language: options.language, modelName: source.modelName)
            else { continue }
            let path = PathName.joined(directory, name)
            guard case .file(let size)? = files.kind(of: path), size < 16 << 20 else { continue }
            let bytes = try files.read(path)
            let head = String(decoding: bytes.prefix(GeneratedHeader.length), as: UTF8.self)
            if GeneratedHeader.isOwn(head, fileName: name, source: source, mode: options.mode) {
                items.append(Item(path: path, state: .stale, oldBytes: bytes))
            }
        }
        return items
    }
}
