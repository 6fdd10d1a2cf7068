public import Diagnostics

/// An `.xcdatamodeld` bundle: the names of its versions, and which of them is current.
///
/// It knows names only; the versions themselves are read one by one, so that a bundle with a hundred versions costs no
/// more than the one that is wanted.
public struct ModelBundle: Sendable {
    /// The name of the model: the bundle's name without extension.
    public let name: String
    /// The bundle's path, for diagnostics.
    public let path: String
    /// The versions' names without extension, in an order that a person would give them (`Model 2` before `Model 10`).
    public let versionNames: [String]
    /// What `.xccurrentversion` says, or nil when there is no such file.
    public let currentVersionFile: CurrentVersionFile?

    /// Makes a bundle of what its folder holds.
    ///
    /// - Parameters:
    ///   - name: the bundle's name without extension.
    ///   - path: its path, for diagnostics.
    ///   - versionNames: the names of the `.xcdatamodel` folders in it, without extension, in any order.
    ///   - currentVersionFile: what was read of its `.xccurrentversion`, or nil when there is none.
    public init(name: String, path: String, versionNames: [String], currentVersionFile: CurrentVersionFile?) {
        self.name = name
        self.path = path
        self.versionNames = versionNames.sorted(by: Self.precedes)
        self.currentVersionFile = currentVersionFile
    }

    /// A reason why no version can be chosen, as errors with their places.
    public struct NoVersion: Error, Sendable {
        /// The errors.
        public var diagnostics: [Diagnostic]
        /// Who has to do something about it.
        public var reason: Reason
    }

    /// Why there is no version.
    public enum Reason: Sendable {
        /// The bundle has none.
        case noModel
        /// The caller asked for one that does not exist.
        case wrongRequest
        /// The bundle does not say, or says wrongly, which is current.
        case wrongBundle
    }

    /// The version to use: the one asked for, else the current one, else the only one.
    ///
    /// - Parameter requested: the name of a version, with or without `.xcdatamodel`; nil for the current one.
    /// - Throws: `NoVersion` when there is no such version, or no telling which is current.
    public func version(requested: String?) throws(NoVersion) -> String {
        guard !versionNames.isEmpty else {
            throw NoVersion(
                diagnostics: [
                    Diagnostic(
                        .error, rule: "no-versions", "the bundle holds no model version", file: path, range: .fileStart,
                        help: "An .xcdatamodeld holds one .xcdatamodel folder for each version.")
                ],
                reason: .noModel)
        }
        if let requested {
            let plain = CurrentVersionFile.withoutExtension(requested)
            if let name = versionNames.first(where: { $0 == requested || $0 == plain }) { return name }
            throw NoVersion(
                diagnostics: [
                    Diagnostic(
                        .error, rule: "no-such-version", "the model “\(name)” has no version “\(requested)”",
                        file: path,
                        range: .fileStart, help: "It has \(listOfVersions).")
                ],
                reason: .wrongRequest)
        }
        if let file = currentVersionFile {
            if file.versionName == nil, file.problems.hasErrors {
                throw NoVersion(diagnostics: file.problems, reason: .wrongBundle)
            }
            if let current = file.versionName {
                guard !versionNames.contains(current) else { return current }
                throw NoVersion(diagnostics: [missingCurrentVersion(current, in: file)], reason: .wrongBundle)
            }
        }
        guard versionNames.count == 1, let only = versionNames.first else {
            throw NoVersion(diagnostics: [noCurrentVersion], reason: .wrongBundle)
        }
        return only
    }

    private var listOfVersions: String {
        let shown = versionNames.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
        return versionNames.count > 10 ? "\(shown) and \(versionNames.count - 10) more" : shown
    }

    private var noCurrentVersion: Diagnostic {
        Diagnostic(
            .error, rule: "no-current-version", "the bundle has \(versionNames.count) versions and no current one",
            file: currentVersionFile?.path ?? path,
            range: currentVersionFile == nil ? .fileStart : currentVersionFile?.range,
            why: "Without it nobody can tell which version the app is built with; momc stops here too.",
            help: "Choose one in Xcode (File inspector ▸ Model Version ▸ Current), or name one with --version. "
                + "There is \(listOfVersions).")
    }

    private func missingCurrentVersion(_ current: String, in file: CurrentVersionFile) -> Diagnostic {
        Diagnostic(
            .error, rule: "current-version-missing-file", "the current version “\(current)” does not exist",
            file: file.path, range: file.range, why: "The model cannot be built without its current version.",
            help: "Choose another one in Xcode (File inspector ▸ Model Version ▸ Current). There is \(listOfVersions).")
    }

    /// Orders names as Finder does: runs of digits by their value.
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
