internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension InitCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            if isForAgents { return try instructAgents(environment) }
            let path = PathName.joined(root.packagePath, PackageFolder.manifestName)
            let bytes = try PackageManifest.bytesToEdit(path, environment.files)
            let manifest = PackageManifest(bytes)
            let (target, folder) = try target(in: manifest, path, environment.files)
            let plan = try plan(target, folder: folder, files: environment.files)
            let addition = addition(to: target, plan.excluded, manifest, environment.files)
            guard addition.location != nil || manifest.dependsOnModelc else {
                throw InputFailure(
                    path, rule: .manifestNotEditable,
                    message: "the manifest does not depend on modelc, and its location is not known",
                    help: "Specify the URL or folder of the package with --modelc.")
            }
            let isComplete =
                manifest.dependsOnModelc && addition.excluded == nil && !addition.addsDependency && !addition.addsPlugin
            guard let edited = isComplete ? bytes : verified(addition, in: manifest) else {
                environment.errorLine(
                    "modelc: \(path) was not edited: the declaration of “\(target.name)” cannot be located reliably")
                environment.errorOutput(lines(addition))
                return .findings
            }
            try write(edited, over: bytes, path: path, plan: plan, environment: environment)
            if !isDryRun { environment.errorOutput(nextSteps(plan.modelPath)) }
            return .success
        }
    }

    /// Returns what to do after the package was set up.
    private func nextSteps(_ modelPath: String) -> String {
        let model = DisplayText.line(ShellWord.quoted(modelPath))
        let package = PathName.withoutTrailingSlashes(root.packagePath)
        let option = package == "." ? "" : " --package-path \(DisplayText.line(ShellWord.quoted(package)))"
        let steps = [
            ("modelc studio \(model)", "edit the model in a browser, or open it in Xcode"),
            ("modelc format \(model)", "after editing its XML, the files “contents”, by hand"),
            ("modelc lint \(model)", "find problems"),
            ("swift build\(option)", "generate the classes, and compile the model and the package"),
        ]
        let width = steps.map(\.0.count).max() ?? 0
        return "Next:\n"
            + steps.map { command, purpose in
                "  \(command)\(String(repeating: " ", count: width - command.count))  \(purpose)\n"
            }.joined()
    }

    /// Adds the section for coding agents to the files that they read.
    private func instructAgents(_ environment: DriverEnvironment) throws(InputFailure) -> ExitCode {
        let folder = PathName.withoutTrailingSlashes(root.packagePath)
        guard environment.files.kind(of: folder) == .directory else {
            throw InputFailure(
                folder, rule: .noSuchFile, message: "there is no such folder",
                help: environment.files.help(forMissing: folder))
        }
        let changes = try InputFailure.wrapping { () throws(FileSystemError) in
            let changes = try AgentInstructions(files: environment.files, folder: folder).changes()
            guard !isDryRun else { return changes }
            var transaction = OutputTransaction(files: environment.files)
            for change in changes {
                if let old = change.old {
                    try transaction.write(change.path, change.new, expecting: old)
                } else {
                    transaction.create(change.path, change.new)
                }
            }
            try transaction.commit()
            return changes
        }
        for change in changes {
            if isDryRun {
                environment.outputPatch(
                    change.old.map { String(decoding: $0, as: UTF8.self) }, String(decoding: change.new, as: UTF8.self),
                    of: change.path)
            } else {
                environment.errorLine("modelc: \(change.old == nil ? "created" : "changed") \(change.path)")
            }
        }
        if changes.isEmpty { environment.errorLine("modelc: AGENTS.md needs no change") }
        return .success
    }

    // MARK: The target

    private func target(
        in manifest: PackageManifest, _ path: String, _ files: any FileSystem
    ) throws(InputFailure) -> (PackageManifest.Target, folder: String) {
        let candidates = manifest.targets.filter { target in
            targetName.map { $0 == target.name } ?? !target.isTest
        }
        guard let target = candidates.first, candidates.count == 1 else {
            let names = manifest.targets.map(\.name)
            let list = names.isEmpty ? "" : "It has \(names.map { "“\($0)”" }.joined(separator: ", "))."
            if let targetName {
                throw InputFailure(
                    path, rule: .noSuchTarget, message: "the manifest declares no target “\(targetName)”",
                    help: EditDistance.question(for: targetName, among: names) + list)
            }
            throw InputFailure(
                path, rule: .noSuchTarget,
                message: "the manifest does not declare exactly one target that is not a test",
                help: "Specify one with --target. \(list)")
        }
        guard let folder = PackageFolder(files: files).folder(of: target, in: root.packagePath, manifest) else {
            throw InputFailure(
                path, rule: .noSuchTarget, message: "the target “\(target.name)” has no folder",
                help: "Create Sources/\(target.name) with a Swift file.")
        }
        return (target, folder)
    }

    /// The output besides the manifest.
    private struct Plan {
        /// The files of the new model, by path; empty if the target has a model.
        var files: [(path: String, bytes: [UInt8])] = []
        /// The model's path relative to the target's folder.
        var excluded: String
        /// The model's path in messages.
        var modelPath: String
    }

    private func plan(
        _ target: PackageManifest.Target, folder: String, files: any FileSystem
    ) throws(InputFailure) -> Plan {
        let group = try InputFailure.wrapping { () throws(FileSystemError) in
            try PackageFolder(files: files).group(target.name, folder, otherFolders: [])
        }
        let name = modelName ?? target.name
        let bundle = name + ModelInputReader.bundleExtension
        let existing = group.models.first { modelName == nil || PathName.name(of: $0) == bundle }
        if let existing { return Plan(excluded: existing, modelPath: PathName.joined(folder, existing)) }
        let path = PathName.joined(folder, bundle)
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("."), !name.utf8.contains(0) else {
            throw InputFailure(
                path, rule: .invalidName, message: "“\(name)” is not a valid model name",
                help: "Specify it with --model.")
        }
        return Plan(
            files: try ModelFileSet.files(of: Self.model(named: name), at: path), excluded: bundle, modelPath: path)
    }

    /// Returns a model with the entity of Xcode's template for an app with Core Data.
    private static func model(named name: String) -> Model {
        var timestamp = Attribute(name: "timestamp", type: .date)
        timestamp.isOptional = true
        timestamp.usesScalarType = false
        var item = Entity(name: "Item")
        item.className = ClassName("Item")
        item.codeGeneration = .classDefinition
        item.isSyncable = true
        item.attributes = [timestamp]
        var model = Model(name: name)
        model.entities = [item]
        return model
    }

    // MARK: The manifest

    private func addition(
        to target: PackageManifest.Target, _ model: String, _ manifest: PackageManifest, _ files: any FileSystem
    ) -> ManifestEdit.Addition {
        let isExcluded = ExcludeList.covers(target.excluded ?? [], model)
        return ManifestEdit.Addition(
            target: target.name, excluded: isExcluded ? nil : model,
            location: manifest.dependsOnModelc
                ? nil
                : location.modelcLocation.map { LinuxBlock.location($0, inPackage: root.packagePath, files) },
            addsDependency: !target.dependsOnCoreData, addsPlugin: !target.usesPlugin)
    }

    /// Returns the edited manifest if it reads back with the additions and the same targets.
    private func verified(_ addition: ManifestEdit.Addition, in old: PackageManifest) -> [UInt8]? {
        guard let edited = ManifestEdit.applying(addition, to: old) else { return nil }
        let new = PackageManifest(edited)
        guard new.isBalanced, new.dependsOnModelc, new.targets.map(\.name) == old.targets.map(\.name),
            let target = new.targets.first(where: { $0.name == addition.target }), target.usesPlugin,
            target.dependsOnCoreData,
            addition.excluded.map({ ExcludeList.covers(target.excluded ?? [], $0) }) ?? true
        else { return nil }
        return edited
    }

    private func lines(_ addition: ManifestEdit.Addition) -> String {
        var text = "Add these lines to Package.swift.\n"
        if let location = addition.location { text += "To dependencies: of the package:\n    .package(\(location)),\n" }
        text += "To the target “\(addition.target)”:\n"
        if addition.addsDependency { text += "    dependencies: [\(ManifestEdit.Addition.product)],\n" }
        if let path = addition.excluded { text += "    exclude: [\(SwiftIdentifier.stringLiteral(path))],\n" }
        if addition.addsPlugin { text += "    plugins: [\(ManifestEdit.Addition.plugin)],\n" }
        return text
    }

    private func write(
        _ edited: [UInt8], over bytes: [UInt8], path: String, plan: Plan, environment: DriverEnvironment
    ) throws(InputFailure) {
        if isDryRun {
            let (old, new) = (String(decoding: bytes, as: UTF8.self), String(decoding: edited, as: UTF8.self))
            if edited != bytes { environment.outputPatch(old, new, of: path) }
            if !plan.files.isEmpty { environment.errorLine("modelc: would create \(plan.modelPath)") }
            return
        }
        try InputFailure.wrapping { () throws(FileSystemError) in
            var transaction = OutputTransaction(files: environment.files)
            for file in plan.files { transaction.create(file.path, file.bytes) }
            if edited != bytes { try transaction.write(path, edited, expecting: bytes) }
            try transaction.commit()
        }
        if !plan.files.isEmpty { environment.errorLine("modelc: created \(plan.modelPath)") }
        environment.errorLine("modelc: \(edited == bytes ? "\(path) needs no change" : "changed \(path)")")
    }
}
