internal import CompiledModel
internal import Diagnostics

/// Where a compiled model goes, and how it gets there whole.
struct CompiledOutput {
    /// The path of the `.momd` or `.mom`.
    let path: String

    /// Decides on the path.
    ///
    /// - Parameter requested: a path that ends in `.momd` or `.mom`, a folder, or nil for the working directory. Apple's
    ///   `momc` is called with either form.
    init(_ set: ModelSet, requested: String?, files: any FileSystem) {
        let fileExtension = set.isBundle ? ModelSetReader.compiledBundleExtension : ModelSetReader.compiledExtension
        let name = set.name + fileExtension
        guard let requested else {
            path = name
            return
        }
        let plain = PathName.withoutTrailingSlashes(requested)
        let isTarget = plain.hasSuffix(fileExtension) && !(requested.hasSuffix("/") && !set.isBundle)
        path = isTarget ? plain : PathName.joined(plain, name)
    }

    /// Writes the compiled model, if its bytes are not there already.
    ///
    /// - Returns: whether something was written.
    func write(_ product: Compilation.Product, to files: any FileSystem) throws(InputFailure) -> Bool {
        do throws(FileSystemError) {
            switch product {
            case .bundle(let bundle): return try write(bundle, to: files)
            case .model(let model): return try write(model, to: files)
            }
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }

    private func write(_ bundle: CompiledBundle, to files: any FileSystem) throws(FileSystemError) -> Bool {
        let replacement = FolderReplacement(files: files)
        switch files.kind(of: path) {
        case nil: break
        case .directory?:
            if replacement.holds(bundle.files, at: path) { return false }
            if let stranger = try files.list(path).first(where: { !Self.isPartOfBundle($0) }) {
                throw FileSystemError(
                    path: path, action: "replace",
                    reason: "the folder holds “\(stranger)”, which no compiled model has; name another path")
            }
        case .some:
            throw FileSystemError(path: path, action: "replace", reason: "there is a file of this name")
        }
        try replacement.write(bundle.files, to: path)
        return true
    }

    private static func isPartOfBundle(_ name: String) -> Bool {
        name == VersionInfo.fileName || name.hasSuffix(".mom") || name.hasSuffix(".omo")
    }

    private func write(_ model: EncodedModel, to files: any FileSystem) throws(FileSystemError) -> Bool {
        switch files.kind(of: path) {
        case .file?: if try files.read(path) == model.bytes { return false }
        case nil: break
        case .some: throw FileSystemError(path: path, action: "replace", reason: "there is a folder of this name")
        }
        var transaction = OutputTransaction(files: files)
        let parent = PathName.parent(of: path)
        if !parent.isEmpty { transaction.need(directory: parent) }
        transaction.write(path, model.bytes, replaces: files.kind(of: path) != nil)
        try transaction.commit()
        return true
    }
}
