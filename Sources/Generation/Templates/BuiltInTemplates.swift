/// The Mustache templates that make modelc's built-in output, embedded in the binary.
///
/// The files in this folder are the same that `modelc templates eject` writes out.
public enum BuiltInTemplates {
    /// A template file.
    public struct File: Sendable {
        /// The file's name, for example `CoreDataClass.swift.mustache`.
        public let name: String
        /// Its text in UTF-8.
        public let bytes: [UInt8]
    }

    /// All template files, by name.
    public static var files: [File] {
        [
            File(name: "AttributeAccessor.mustache", bytes: PackageResources.AttributeAccessor_mustache),
            File(name: "ClassBody.mustache", bytes: PackageResources.ClassBody_mustache),
            File(name: "CodableAccessor.mustache", bytes: PackageResources.CodableAccessor_mustache),
            File(name: "CodableDecoding.mustache", bytes: PackageResources.CodableDecoding_mustache),
            File(name: "CodableEncoding.mustache", bytes: PackageResources.CodableEncoding_mustache),
            File(name: "CoreDataClass.swift.mustache", bytes: PackageResources.CoreDataClass_swift_mustache),
            File(name: "CoreDataModel.swift.mustache", bytes: PackageResources.CoreDataModel_swift_mustache),
            File(name: "CoreDataPortable.swift.mustache", bytes: PackageResources.CoreDataPortable_swift_mustache),
            File(name: "CoreDataProperties.swift.mustache", bytes: PackageResources.CoreDataProperties_swift_mustache),
            File(name: "FeaturesBody.mustache", bytes: PackageResources.FeaturesBody_mustache),
            File(name: "Header.mustache", bytes: PackageResources.Header_mustache),
            File(name: "InitializerParameters.mustache", bytes: PackageResources.InitializerParameters_mustache),
            File(name: "InitializerValues.mustache", bytes: PackageResources.InitializerValues_mustache),
            File(name: "ManagedID.mustache", bytes: PackageResources.ManagedID_mustache),
            File(name: "PortableBody.mustache", bytes: PackageResources.PortableBody_mustache),
            File(name: "PropertiesBody.mustache", bytes: PackageResources.PropertiesBody_mustache),
        ]
    }
}
