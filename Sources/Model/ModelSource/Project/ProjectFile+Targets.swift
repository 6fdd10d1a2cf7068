extension ProjectFile {
    /// A target, with the files that it compiles.
    package struct Target: Hashable, Sendable {
        package var name: String
        /// The kind of product, for example `com.apple.product-type.application`.
        package var productType = ""
        /// The name of the module, as the build settings state it, or else that of the target.
        package var moduleName = ""
        /// The names of the targets that it depends on.
        package var dependencies: [String] = []
        /// The files of its “Compile Sources” phase, relative to the folder of the project.
        package var files: [String] = []
        /// The folders whose files are compiled, with the exceptions.
        package var folders: [Folder] = []
    }

    /// A folder whose files belong to a target without being listed (`PBXFileSystemSynchronizedRootGroup`).
    package struct Folder: Hashable, Sendable {
        /// The path, relative to the folder of the project.
        package var path: String
        /// The files and folders that do not belong to the target, relative to the folder.
        package var exceptions: [String]
    }

    /// The targets with a product, in the order of the file.
    package var targets: [Target] {
        let paths = ProjectPaths(objects)
        return objects.filter { $0.value["isa"]?.string == "PBXNativeTarget" }.map { object in
            let name = object.value["name"]?.string ?? ""
            var target = Target(name: name, productType: object.value["productType"]?.string ?? "")
            target.moduleName = paths.moduleName(of: object.value) ?? name
            target.dependencies = paths.nodes(object.value["dependencies"]).compactMap { dependency in
                dependency["target"]?.string.flatMap { paths.node($0)?["name"]?.string }
            }
            for phase in paths.nodes(object.value["buildPhases"]) where paths.isa(phase, "PBXSourcesBuildPhase") {
                for file in paths.nodes(phase["files"]) {
                    if let reference = file["fileRef"]?.string, let path = paths.path(of: reference) {
                        target.files.append(path)
                    }
                }
            }
            let own = Set((object.value["fileSystemSynchronizedGroups"]?.array ?? []).compactMap(\.string))
            for group in objects where paths.isa(group.value, "PBXFileSystemSynchronizedRootGroup") {
                guard let path = paths.path(of: group.key) else { continue }
                // The exceptions of a folder are left out of its targets, and added to other targets.
                let exceptions = paths.nodes(group.value["exceptions"]).filter {
                    $0["target"]?.string == object.key
                }.flatMap { ($0["membershipExceptions"]?.array ?? []).compactMap(\.string) }
                if own.contains(group.key) {
                    target.folders.append(Folder(path: path, exceptions: exceptions))
                } else {
                    target.files += exceptions.map { path.isEmpty ? $0 : "\(path)/\($0)" }
                }
            }
            return target
        }
    }
}

/// The paths of a project's files, which depend on the groups that contain them.
private struct ProjectPaths {
    private var objects: [String: PropertyListText.Node] = [:]
    private var parents: [String: String] = [:]

    init(_ entries: [PropertyListText.Entry]) {
        for entry in entries {
            objects[entry.key] = entry.value
            for child in entry.value["children"]?.array ?? [] {
                if let child = child.string { parents[child] = entry.key }
            }
        }
    }

    func isa(_ node: PropertyListText.Node, _ name: String) -> Bool { node["isa"]?.string == name }

    /// Returns the objects that a list names.
    func nodes(_ list: PropertyListText.Node?) -> [PropertyListText.Node] {
        (list?.array ?? []).compactMap { $0.string.flatMap { objects[$0] } }
    }

    func node(_ identifier: String) -> PropertyListText.Node? { objects[identifier] }

    /// Returns the name that a target's build settings give its module, if one of its configurations states it without
    /// a variable.
    func moduleName(of target: PropertyListText.Node) -> String? {
        guard let list = target["buildConfigurationList"]?.string.flatMap(node) else { return nil }
        let configurations = nodes(list["buildConfigurations"])
        for key in ["PRODUCT_MODULE_NAME", "PRODUCT_NAME"] {
            for configuration in configurations {
                guard let text = configuration["buildSettings"]?[key]?.string, !text.isEmpty, !text.contains("$")
                else { continue }
                return text
            }
        }
        return nil
    }

    /// Returns the path of a file or group, or `nil` if it is in a place that only Xcode knows.
    func path(of identifier: String) -> String? {
        var parts: [String] = []
        var current = identifier
        for _ in 0..<64 {
            guard let node = objects[current] else { return nil }
            if let path = node["path"]?.string, !path.isEmpty { parts.append(path) }
            switch node["sourceTree"]?.string {
            case "<group>", nil:
                guard let parent = parents[current] else { return parts.reversed().joined(separator: "/") }
                current = parent
            case "SOURCE_ROOT", "<absolute>": return parts.reversed().joined(separator: "/")
            default: return nil
            }
        }
        return nil
    }
}
