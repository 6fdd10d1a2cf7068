/// The reason why a bundle or its `VersionInfo.plist` cannot be read or created.
package struct CompiledBundleError: Error, Hashable, Sendable {
    /// The kind of problem.
    package enum Kind: Hashable, Sendable {
        /// `VersionInfo.plist` is not a property list, or is a damaged one.
        case propertyList(PropertyListError.Kind)
        /// `VersionInfo.plist` has invalid contents.
        case malformedVersionInfo
        /// The bundle contains no version.
        case noVersions
        /// The bundle has several versions and does not name the current one.
        case noCurrentVersion
        /// The current or the requested version is not in the bundle.
        case missingVersion
        /// Two versions have the same name, or the name of one is not a valid file name.
        case unusableName
    }

    /// The kind of problem.
    package var kind: Kind
    /// The problem, in one sentence without a period.
    package var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension CompiledBundleError: CustomStringConvertible {
    package var description: String { message }
}
