internal import ModelSchema

/// The lines at the end of a manifest that let its package build on Linux.
///
/// They are enclosed in `#if os(Linux)` and modify the finished `Package`. On Apple's platforms, the manifest therefore
/// means what it meant before: nothing is excluded, and Xcode compiles the models. The lines do not depend on how the
/// manifest declares its targets.
struct LinuxBlock: Equatable {
    /// What a target needs on Linux.
    struct Target: Equatable {
        var name: String
        /// Whether the product `CoreData` is added.
        var addsDependency = true
        /// Whether the product `OpenCombineShim` is added.
        var addsCombine = false
        /// Whether the product `SwiftData` is added.
        var addsSwiftData = false
        /// Whether `ModelcBuildPlugin` is added.
        var addsPlugin = true
        /// The paths that are excluded, relative to the target's folder.
        var excluded: [String] = []
        /// The paths in the target's `resources:` that are excluded. SwiftPM would still copy them.
        var removedResources: [String] = []
    }

    static let firstLine = "// modelc: begin"
    static let lastLine = "// modelc: end"
    static let pluginName = "ModelcBuildPlugin"
    private static let traitsLabel = ", traits: ["

    /// The name of the constant that holds the package.
    var packageName: String
    /// The location of the modelc package: an argument list of `.package`. `nil` if the manifest already depends on it.
    var location: String?
    /// Whether the manifest can name the traits of dependencies.
    var supportsTraits = false
    var targets: [Target]

    /// Returns the arguments of `.package` for a URL or a folder.
    static func location(_ text: String) -> String {
        let literal = SwiftIdentifier.stringLiteral(text)
        let isURL = text.contains("://") || (text.contains("@") && text.contains(":"))
        return isURL ? "url: \(literal), from: \"0.2.0\"" : "name: \"modelc\", path: \(literal)"
    }

    /// Returns the arguments of `.package` for a URL or a folder that the user has named. SwiftPM resolves relative
    /// paths in the package.
    static func location(_ text: String, inPackage folder: String, _ files: any FileSystem) -> String {
        guard !text.hasPrefix("/"), files.kind(of: text) == .directory,
            let path = files.relativePath(text, from: folder)
        else { return location(text) }
        return location(path.isEmpty ? "." : path)
    }

    /// Returns the arguments of `.package` in the text of a block.
    static func location(inBlock text: String) -> String? {
        let start = ".dependencies.append(.package("
        for line in text.split(whereSeparator: \.isNewline) {
            guard let range = line.firstRange(of: start), line.hasSuffix("))") else { continue }
            let location = String(line[range.upperBound...].dropLast(2))
            return location.firstRange(of: traitsLabel).map { String(location[..<$0.lowerBound]) } ?? location
        }
        return nil
    }

    /// The lines, each ending in a line feed.
    var text: String {
        var text = """
            \(Self.firstLine). Written by “prepare-for-linux”, which replaces these lines when it runs again.
            // On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
            // On Apple's platforms the package is built as if these lines were not here.
            #if os(Linux)

            """
        let usesCombine = targets.contains(where: \.addsCombine)
        if let location {
            text += "\(packageName).dependencies.append(.package(\(location)\(traits)))\n"
        }
        if usesCombine {
            text += "\(packageName).dependencies.append(\n    "
            text += ".package(url: \"https://github.com/OpenCombine/OpenCombine\", from: \"0.14.0\"))\n"
        }
        text += "for target in \(packageName).targets {\n    switch target.name {\n"
        for target in targets { text += lines(target) }
        text += "    default:\n        break\n    }\n}\n#endif\n\(Self.lastLine)\n"
        return text
    }

    /// The argument that names the traits of modelc that the targets need; empty if there are none.
    private var traits: String {
        guard supportsTraits else { return "" }
        var names: [String] = []
        if targets.contains(where: \.addsCombine) { names.append("OpenCombine") }
        if targets.contains(where: \.addsSwiftData) { names.append("SwiftData") }
        return names.isEmpty ? "" : Self.traitsLabel + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private func lines(_ target: Target) -> String {
        var text = "    case \(SwiftIdentifier.stringLiteral(target.name)):\n"
        if target.addsDependency {
            text += """
                        target.dependencies.append(
                            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))

                """
        }
        if target.addsCombine {
            text += """
                        target.dependencies.append(
                            .product(name: "OpenCombineShim", package: "OpenCombine", condition: .when(platforms: [.linux])))

                """
        }
        if target.addsSwiftData {
            text += """
                        target.dependencies.append(
                            .product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux])))

                """
        }
        if !target.excluded.isEmpty {
            text += "        target.exclude += [\n"
            for path in target.excluded { text += "            \(SwiftIdentifier.stringLiteral(path)),\n" }
            text += "        ]\n"
        }
        for path in target.removedResources {
            text += "        \(Self.removal(of: path))\n"
        }
        if target.addsPlugin {
            text += """
                        target.plugins = (target.plugins ?? []) + [.plugin(name: "\(Self.pluginName)", package: "modelc")]

                """
        }
        return text
    }

    /// Returns the line that removes a resource. It has no public property; its description contains the path as a
    /// literal.
    private static func removal(of resource: String) -> String {
        let literal = SwiftIdentifier.stringLiteral(SwiftIdentifier.stringLiteral(resource))
        return "target.resources?.removeAll { \"\\($0)\".contains(\(literal)) }"
    }

    /// Returns whether the lines for a target remove a resource.
    static func removes(_ resource: String, in lines: String) -> Bool { lines.contains(removal(of: resource)) }
}

extension PackageManifest {
    /// Returns the manifest with a block, which replaces the existing one or is appended; for `nil`, the manifest
    /// without a block.
    ///
    /// All other bytes are kept. The block's line endings are those of the manifest's first line.
    func applying(_ newBlock: LinuxBlock?) -> [UInt8] {
        let text = newBlock?.text ?? ""
        if let block { return bytes[..<block.lowerBound] + withLineEnds(text) + bytes[block.upperBound...] }
        guard newBlock != nil else { return bytes }
        return bytes + (bytes.isEmpty || bytes.last == 0x0A ? [] : withLineEnds("\n")) + withLineEnds("\n" + text)
    }
}
