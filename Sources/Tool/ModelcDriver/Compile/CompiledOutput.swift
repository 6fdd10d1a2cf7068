internal import CompiledModel
internal import Diagnostics

/// The destination of a compiled model, which is written as a whole or not at all.
struct CompiledOutput {
    /// The path of the `.momd` or `.mom`.
    let path: String

    /// Determines the path.
    ///
    /// - Parameter requested: A path that ends in `.momd` or `.mom`, a folder, or `nil` for the working directory.
    ///   Callers of Apple's `momc` pass a path or a folder.
    /// - Throws: If the path is empty, or if it is inside the model or the model itself.
    init(_ set: ModelSet, requested: String?, files: any FileSystem) throws(InputFailure) {
        let fileExtension = set.isBundle ? ModelSetReader.compiledBundleExtension : ModelSetReader.compiledExtension
        let name = set.name + fileExtension
        if let requested {
            let plain = PathName.withoutTrailingSlashes(requested)
            let isTarget = plain.hasSuffix(fileExtension) && !(requested.hasSuffix("/") && !set.isBundle)
            path = isTarget ? plain : PathName.joined(plain, name)
        } else {
            path = name
        }
        try InputFailure.wrapping { [path] () throws(FileSystemError) in
            if requested?.isEmpty == true { throw OutputDestination.rejection("", "the path is empty") }
            try SourceProtection([set.path], files: files).check(path)
        }
    }

    /// Throws if the path holds something that may not be replaced.
    func check(_ files: any FileSystem) throws(FileSystemError) {
        if path.hasSuffix(ModelSetReader.compiledBundleExtension) {
            try replacement(files).check(path)
        } else {
            _ = try OutputDestination(path, files)
        }
    }

    /// Writes the compiled model, unless the file already has its bytes.
    ///
    /// - Returns: Whether something was written.
    func write(_ product: Compilation.Product, to files: any FileSystem) throws(FileSystemError) -> Bool {
        switch product {
        case .bundle(let bundle): try replacement(files).write(bundle.files, to: path)
        case .model(let model): try files.writeIfChanged(path, model.bytes)
        }
    }

    private func replacement(_ files: any FileSystem) -> FolderReplacement {
        FolderReplacement(files: files, mayReplace: Self.isPartOfBundle)
    }

    private static func isPartOfBundle(_ name: String) -> Bool {
        name == VersionInfo.fileName || name.hasSuffix(".mom") || name.hasSuffix(".omo")
    }
}
