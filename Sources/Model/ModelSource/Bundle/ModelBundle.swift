package import Diagnostics
internal import ModelSchema

/// An `.xcdatamodeld` bundle: the names of its versions, and which of them is current.
///
/// It holds names only. The versions are read one by one, so that a bundle with a hundred versions costs no more than
/// the one that is needed.
package struct ModelBundle: Sendable {
    /// The name of the model: the bundle's name without extension.
    package let name: String
    /// The bundle's path, for diagnostics.
    package let path: String
    /// The versions' names without extension, in natural order (`Model 2` before `Model 10`).
    package let versionNames: [String]
    /// The names of the versions in the binary format of Xcode 3, without extension and in the same order. They cannot
    /// be read and are left out of `versionNames`.
    package let binaryVersionNames: [String]
    /// The contents of `.xccurrentversion`, or `nil` if there is no such file.
    package let currentVersionFile: CurrentVersionFile?

    /// Creates a bundle from the contents of its folder.
    ///
    /// - Parameters:
    ///   - name: The bundle's name without extension.
    ///   - path: Its path, for diagnostics.
    ///   - versionNames: The names of the `.xcdatamodel` folders in it, without extension, in any order.
    ///   - binaryVersionNames: The names of those in the binary format of Xcode 3.
    ///   - currentVersionFile: The contents of its `.xccurrentversion`, or `nil`.
    package init(
        name: String, path: String, versionNames: [String], binaryVersionNames: [String] = [],
        currentVersionFile: CurrentVersionFile?
    ) {
        self.name = name
        self.path = path
        self.versionNames = versionNames.sorted(by: Self.precedes)
        self.binaryVersionNames = binaryVersionNames.sorted(by: Self.precedes)
        self.currentVersionFile = currentVersionFile
    }

    /// The names of all versions, including those that cannot be read.
    package var allVersionNames: [String] { (versionNames + binaryVersionNames).sorted(by: Self.precedes) }

    /// A warning for each version that is skipped because it is in the binary format of Xcode 3.
    package var skippedVersionWarnings: [Diagnostic] {
        binaryVersionNames.map { name in
            binaryVersion(
                .warning, message: "the version “\(name)” is in the binary format of Xcode 3 and is skipped",
                name: name,
                why: "Stores created with this version cannot be migrated.")
        }
    }

    /// Returns the warnings about skipped versions that no error names already.
    package func skippedVersionWarnings(besides errors: [Diagnostic]) -> [Diagnostic] {
        skippedVersionWarnings.filter { warning in !errors.contains { $0.file == warning.file } }
    }

    private func binaryVersion(
        _ severity: Severity, message: String, name: String, why: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity, rule: .legacyBinaryVersion, message, file: "\(path)/\(name).xcdatamodel", range: .fileStart,
            why: why, help: "Open and save it in Xcode 4 to 13, which converts it to XML.")
    }

    /// The reason why no version can be chosen, as errors with their locations.
    package struct NoVersion: Error, Sendable {
        /// The errors.
        package var diagnostics: [Diagnostic]
        /// The cause.
        package var reason: Reason
    }

    /// The causes for having no version.
    package enum Reason: Sendable {
        /// The bundle contains no model.
        case noModel
        /// The caller requested a version that does not exist.
        case wrongRequest
        /// The bundle does not name the current version, or names an invalid one.
        case wrongBundle
    }

    /// Returns the version to use: the requested one, or else the current one, or else the only one.
    ///
    /// - Parameter requested: The name of a version, with or without `.xcdatamodel`; `nil` for the current one.
    /// - Throws: `NoVersion` if there is no such version, or if the current version is unknown.
    package func version(requested: String?) throws(NoVersion) -> String {
        guard let first = allVersionNames.first else {
            throw NoVersion(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noVersions, "the bundle contains no model version", file: path,
                        range: .fileStart,
                        help: "An .xcdatamodeld holds one .xcdatamodel folder for each version.")
                ],
                reason: .noModel)
        }
        if let requested {
            let plain = CurrentVersionFile.withoutExtension(requested)
            if let name = versionNames.first(where: { $0 == requested || $0 == plain }) { return name }
            if let name = binaryVersionNames.first(where: { $0 == requested || $0 == plain }) {
                throw unreadable(
                    name, message: "the version “\(name)” is in the binary format of Xcode 3", reason: .wrongRequest)
            }
            throw NoVersion(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchVersion, "the model “\(name)” has no version “\(requested)”",
                        file: path,
                        range: .fileStart,
                        help: EditDistance.question(for: plain, among: versionNames) + "It has \(listOfVersions).")
                ],
                reason: .wrongRequest)
        }
        if let file = currentVersionFile {
            if file.versionName == nil, file.problems.hasErrors {
                throw NoVersion(diagnostics: file.problems, reason: .wrongBundle)
            }
            if let current = file.versionName {
                guard !versionNames.contains(current) else { return current }
                if binaryVersionNames.contains(current) {
                    throw unreadable(
                        current, message: "the current version “\(current)” is in the binary format of Xcode 3",
                        reason: .wrongBundle)
                }
                throw NoVersion(diagnostics: [missingCurrentVersion(current, in: file)], reason: .wrongBundle)
            }
        }
        guard allVersionNames.count == 1 else {
            throw NoVersion(diagnostics: [noCurrentVersion], reason: .wrongBundle)
        }
        guard versionNames.contains(first) else {
            throw unreadable(
                first, message: "the version “\(first)” is in the binary format of Xcode 3", reason: .noModel)
        }
        return first
    }

    private func unreadable(_ name: String, message: String, reason: Reason) -> NoVersion {
        NoVersion(diagnostics: [binaryVersion(.error, message: message, name: name)], reason: reason)
    }

    private var listOfVersions: String {
        let shown = versionNames.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
        return versionNames.count > 10 ? "\(shown) and \(versionNames.count - 10) more" : shown
    }

    private var noCurrentVersion: Diagnostic {
        Diagnostic(
            .error, rule: .noCurrentVersion,
            "the bundle has \(allVersionNames.count) versions, none of which is current",
            file: currentVersionFile?.path ?? path,
            range: currentVersionFile == nil ? .fileStart : currentVersionFile?.range,
            why: "The version that the app is built with is unknown. momc rejects the bundle too.",
            help: "Choose one in Xcode (File inspector ▸ Model Version ▸ Current). There is \(listOfVersions).")
    }

    private func missingCurrentVersion(_ current: String, in file: CurrentVersionFile) -> Diagnostic {
        Diagnostic(
            .error, rule: .currentVersionMissingFile, "the current version “\(current)” does not exist",
            file: file.path, range: file.range, why: "The model cannot be built without its current version.",
            help: "Choose another one in Xcode (File inspector ▸ Model Version ▸ Current). There is \(listOfVersions).")
    }

    /// Returns whether a name precedes another in Finder's order: runs of digits are compared by value.
    static func precedes(_ first: String, _ second: String) -> Bool {
        var left = first.utf8[...]
        var right = second.utf8[...]
        while let leftHead = left.first, let rightHead = right.first {
            if isDigit(leftHead), isDigit(rightHead) {
                let leftDigits = left.prefix(while: isDigit).drop { $0 == UInt8(ascii: "0") }
                let rightDigits = right.prefix(while: isDigit).drop { $0 == UInt8(ascii: "0") }
                if leftDigits.count != rightDigits.count { return leftDigits.count < rightDigits.count }
                if !leftDigits.elementsEqual(rightDigits) { return leftDigits.lexicographicallyPrecedes(rightDigits) }
                left = left.drop(while: isDigit)
                right = right.drop(while: isDigit)
            } else if leftHead == rightHead {
                left = left.dropFirst()
                right = right.dropFirst()
            } else {
                return leftHead < rightHead
            }
        }
        return left.isEmpty != right.isEmpty ? left.isEmpty : first < second
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
