package import ModelSchema

/// A model as a `.mom` file, as Apple's `momc` writes it (Documentation/Formats/CompiledModel.md, 1 and 2).
package struct EncodedModel: Sendable {
    /// The compiler's version keys and options.
    package struct Options: Hashable, Sendable {
        /// The module that is inserted before class names with a leading dot, `.Book` → `Library.Book`; `nil` leaves
        /// them unchanged, as Apple's `momc` without `--module` does. Names without a dot are Objective-C's and not
        /// changed. The effect of Apple's option is unproven (Documentation/Formats/CompiledModel.md, 2.2).
        package var moduleName: String?
        /// The version of the compiler that the file names, or `nil` for none, as before Xcode 13.4.
        package var compilerVersion: CompilerVersion?
        /// Whether the model is written as SwiftData writes it: with the configuration `default`, which has all
        /// entities, and with empty lists of constraints (Documentation/Formats/SwiftDataModel.md, 5).
        package var isSwiftData = false

        /// Creates options. The defaults are no module and the newest known compiler.
        package init(moduleName: String? = nil, compilerVersion: CompilerVersion? = .newest) {
            self.moduleName = moduleName
            self.compilerVersion = compilerVersion
        }

        /// The options of a SwiftData schema: no module and no compiler, as in the stores that SwiftData writes.
        package static let swiftData: Options = {
            var options = Options(compilerVersion: nil)
            options.isSwiftData = true
            return options
        }()
    }

    /// The version of Apple's compiler that a file names (Documentation/Formats/CompiledModel.md, 2.1).
    package struct CompilerVersion: Hashable, Sendable {
        /// The version of Xcode as MMmmpp: 160100 for 16.1.
        package var xcode: Int
        /// The version of the compiler: 23507 for Xcode 16.1.
        package var tool: Double

        /// Creates a version.
        package init(xcode: Int, tool: Double) {
            self.xcode = xcode
            self.tool = tool
        }

        /// Xcode 16.1, the newest version whose output was available.
        package static let newest = CompilerVersion(xcode: 160100, tool: 23507)
    }

    /// The model's name, which the file itself does not contain.
    package let name: String
    /// The file.
    package let bytes: [UInt8]
    /// The version hashes of the entities, for the bundle's `VersionInfo.plist`.
    package let hashes: EntityVersionHashes
    /// Warnings and notes: about parts that the file cannot express, and about parts in a form that no file of Apple's
    /// proves.
    package let findings: [ModelFinding]

    /// Compiles a model. The same model and options always give the same bytes.
    ///
    /// The model should have no errors at the level `.compiles` (`Model.findings(at:)`). The encoder tolerates most: a
    /// reference to an entity that does not exist is null.
    ///
    /// - Throws: `UncompilableModel` if a predicate or a derivation cannot be parsed, or if an entity has no version
    ///   hash.
    package init(_ model: Model, options: Options = Options()) throws(UncompilableModel) {
        var encoder = ModelEncoder(model, options: options)
        let bytes = encoder.encode()
        let hashes = model.versionHashes()
        // Both report an invalid derivation.
        let findings = encoder.findings + hashes.findings.filter { !encoder.findings.contains($0) }
        if !findings.errors.isEmpty { throw UncompilableModel(findings: findings) }
        name = model.name
        self.bytes = bytes
        self.hashes = hashes.entities
        self.findings = findings
    }
}

/// The reason why a model cannot be compiled.
package struct UncompilableModel: Error, Hashable, Sendable {
    /// The errors and all other findings, in the order of the model.
    package var findings: [ModelFinding]
}

extension UncompilableModel: CustomStringConvertible {
    /// The messages, one per line.
    package var description: String { findings.map(\.message).joined(separator: "\n") }
}
