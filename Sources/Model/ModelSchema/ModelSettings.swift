/// The tools that a model was made with and for, from the root element (Documentation/Formats/ModelSource.md, 2.1).
///
/// Values are kept as written; `nil` means that the source does not have the attribute.
package struct ModelSettings: Hashable, Sendable {
    /// A name that Xcode 4 to 6 wrote; usually empty and never the model's name.
    package var legacyName: String?
    /// The document type, `com.apple.IDECoreDataModeler.DataModel` in Xcode's files.
    package var type: String?
    /// The version of the document format, `1.0` in all files seen.
    package var documentVersion: String?
    /// The build of Xcode's model editor that saved the file last.
    package var lastSavedToolsVersion: String?
    /// The number before the first dot of ``lastSavedToolsVersion``; `nil` if there is none.
    package var toolsMajorVersion: Int? { lastSavedToolsVersion?.split(separator: ".").first.flatMap { Int($0) } }
    /// The macOS build it was saved on.
    package var systemVersion: String?
    /// The oldest Xcode that the file is meant for, `Automatic` or `Xcode N`.
    package var minimumToolsVersion: String?
    /// The language that Xcode generates classes in: `Swift` or `Objective-C`.
    package var sourceLanguage: String?
    /// Whether the model is meant for CloudKit.
    package var usedWithCloudKit: Bool?
    /// Whether the model is meant for SwiftData.
    package var usedWithSwiftData: Bool?
    /// The identifier that the model's author gave the version; often empty.
    package var userDefinedModelVersionIdentifier: String?
    /// The macOS deployment target of Xcode 4 to 6, always `Automatic`.
    package var macOSVersion: String?
    /// The iOS deployment target of Xcode 4 to 6, always `Automatic`.
    package var iOSVersion: String?

    /// Creates settings without values.
    package init() {}
}
