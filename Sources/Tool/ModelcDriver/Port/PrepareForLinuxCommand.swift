internal import Diagnostics

extension PrepareForLinuxCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let path = PathName.joined(root.packagePath, PackageFolder.manifestName)
            let bytes = try PackageManifest.bytesToEdit(path, environment.files)
            let plan = try PreparationPlan(
                manifest: PackageManifest(bytes), in: root.packagePath, modelc: location.modelcLocation,
                targets: targets.map { ($0.name, $0.folder) }, files: environment.files)
            if let rejection = plan.rejection {
                let printer = TextReporter(usesColor: environment.usesColor)
                environment.errorOutput(
                    printer.text(for: rejection, lines: nil), isStyled: environment.usesColor)
                environment.errorOutput(plan.linesToPaste)
                return .findings
            }
            let edited = plan.edited
            for note in plan.notes { environment.errorLine("modelc: \(note)") }
            guard edited != bytes || !plan.newSources.isEmpty else {
                environment.errorLine("modelc: \(path) needs no change")
                return .success
            }
            if isDryRun {
                environment.outputPatch(
                    String(decoding: bytes, as: UTF8.self), String(decoding: edited, as: UTF8.self), of: path)
                for source in plan.newSources {
                    environment.outputPatch(nil, String(decoding: source.bytes, as: UTF8.self), of: source.path)
                }
                if edited != bytes { environment.errorLine("modelc: would change \(path)") }
                for source in plan.newSources { environment.errorLine("modelc: would create \(source.path)") }
                return .success
            }
            try InputFailure.wrapping { () throws(FileSystemError) in
                var transaction = OutputTransaction(files: environment.files)
                if edited != bytes { try transaction.write(path, edited, expecting: bytes) }
                for source in plan.newSources { transaction.create(source.path, source.bytes) }
                try transaction.commit()
            }
            if edited != bytes { environment.errorLine("modelc: changed \(path)") }
            for source in plan.newSources { environment.errorLine("modelc: created \(source.path)") }
            return .success
        }
    }
}

extension PackageManifest {
    /// The maximum size of a manifest, in bytes.
    private static let sizeLimit = 4 << 20

    /// Returns the bytes of a manifest that a command will edit.
    ///
    /// - Throws: If it is a symbolic link. The package came with it, and it can point to any file of the user.
    static func bytesToEdit(_ path: String, _ files: any FileSystem) throws(InputFailure) -> [UInt8] {
        if let target = files.linkTarget(of: path) {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .manifestNotEditable, "the manifest is a symbolic link to “\(target)”",
                        file: path,
                        range: .fileStart, why: "modelc does not edit files through the links of a package.",
                        help: "Replace the link with a copy of the file, or name the folder of the file.")
                ],
                exitCode: .couldNotRun)
        }
        return try bytes(path, files)
    }

    /// Returns the bytes of a manifest.
    static func bytes(_ path: String, _ files: any FileSystem) throws(InputFailure) -> [UInt8] {
        guard case .file(let size)? = files.kind(of: path) else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "there is no package manifest", file: path, range: .fileStart,
                        help: "Specify the folder of a Swift package.")
                ],
                exitCode: .couldNotRun)
        }
        guard size <= Self.sizeLimit else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .fileTooLarge,
                        "the manifest has \(size >> 20) MiB; modelc reads no more than \(Self.sizeLimit >> 20) MiB",
                        file: path, range: .fileStart)
                ],
                exitCode: .couldNotRun)
        }
        return try InputFailure.wrapping { () throws(FileSystemError) in try files.read(path) }
    }
}
