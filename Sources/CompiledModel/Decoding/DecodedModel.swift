package import ModelSchema

/// A compiled model that was read: a `.mom` file, or the archive in a store's `Z_MODELCACHE` after inflating it.
///
/// Files of Apple's `momc` of any year and of this library can be read (Documentation/Formats/CompiledModel.md, 2). What an
/// archive has no word for - the order of entities, scalar types, class generation, editor settings - is not in the model; names
/// are sorted as Xcode sorts them. Defaults, limits, predicates and derivations become the text that Xcode would write.
package struct DecodedModel: Sendable {
    /// The model, or as much of it as could be read.
    package let model: Model
    /// What was found while reading: an error for each part that is malformed and was left out, a warning or a note for
    /// what is sound but has no place in a source file. A message names the archive's object and key.
    package let findings: [ModelFinding]
    /// The Xcode that compiled it as MMmmpp, 160100 for 16.1; nil for files from before 2022.
    package let compilerXcodeVersion: Int?
    /// The version of the compiler, 23507 for Xcode 16.1; nil for files from before 2022.
    package let compilerToolVersion: Double?
    /// Every version identifier of the model; the model's settings hold the first one.
    package let versionIdentifiers: [String]

    /// Reads a compiled model.
    ///
    /// - Parameters:
    ///   - bytes: the file, a binary property list.
    ///   - name: the name for the model, which the file itself does not know.
    /// - Throws: `ModelArchiveError` when the bytes hold no model at all.
    package init(_ bytes: [UInt8], name: String) throws(ModelArchiveError) {
        var decoder = ModelDecoder(try KeyedArchive(bytes))
        model = try decoder.decodeModel(name: name)
        findings = decoder.reporter.findings
        compilerXcodeVersion = decoder.compilerXcodeVersion
        compilerToolVersion = decoder.compilerToolVersion
        versionIdentifiers = decoder.versionIdentifiers
    }
}
