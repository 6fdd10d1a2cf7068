/// Why a bundle or its `VersionInfo.plist` cannot be read or made.
package struct CompiledBundleError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// `VersionInfo.plist` is not a binary property list, or a damaged one.
        case propertyList(PropertyListError.Kind)
        /// `VersionInfo.plist` does not say what it should.
        case malformedVersionInfo
        /// The bundle holds no version.
        case noVersions
        /// The bundle has several versions and says nothing of which is current.
        case noCurrentVersion
        /// The current version, or the one asked for, is not in the bundle.
        case missingVersion
        /// Two versions have the same name, or one has a name that cannot be a file's.
        case unusableName
    }

    /// What kind of problem it is.
    package var kind: Kind
    /// What is wrong, in one sentence without a full stop.
    package var message: String

    /// Creates an error.
    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension CompiledBundleError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
