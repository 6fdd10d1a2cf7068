package import ModelSchema

/// A compiled model that was read: a `.mom` file, or the archive in a store's `Z_MODELCACHE` after inflating it.
///
/// Reads files written by any version of Apple's `momc` and by this library (Documentation/Formats/CompiledModel.md,
/// 2). Settings that an archive does not hold - the order of entities, scalar types, codegen modes, editor settings -
/// are not in the model; names are sorted as in Xcode. Defaults, limits, predicates and derivations become the text
/// that Xcode would write.
package struct DecodedModel: Sendable {
    /// The model, or as much of it as could be read.
    package let model: Model
    /// The findings from reading: an error for each malformed part, which was left out, and a warning or a note for
    /// each valid part that a source file cannot express. A message names the archive's object and key.
    package let findings: [ModelFinding]
    /// The version of Xcode that compiled it, as MMmmpp: 160100 for 16.1; `nil` for files from before 2022.
    package let compilerXcodeVersion: Int?
    /// The version of the compiler, 23507 for Xcode 16.1; `nil` for files from before 2022.
    package let compilerToolVersion: Double?
    /// Every version identifier of the model; the model's settings hold the first one.
    package let versionIdentifiers: [String]

    /// Reads a compiled model.
    ///
    /// - Parameters:
    ///   - bytes: The file, a binary property list.
    ///   - name: The name for the model, which the file itself does not contain.
    /// - Throws: `ModelArchiveError` if the bytes do not contain a model at all.
    package init(_ bytes: [UInt8], name: String) throws(ModelArchiveError) {
        var decoder = ModelDecoder(try KeyedArchive(bytes))
        model = try decoder.decodeModel(name: name)
        findings = decoder.reporter.findings
        compilerXcodeVersion = decoder.compilerXcodeVersion
        compilerToolVersion = decoder.compilerToolVersion
        versionIdentifiers = decoder.versionIdentifiers
    }
}
