package import Diagnostics
package import ModelSchema
internal import SwiftSources

/// Completes handwritten classes: gives `@NSManaged` properties and functions their accessors, which elsewhere the
/// Objective-C runtime provides.
///
/// A declaration in a source that the compiler sees is unchanged. The compiler refers to its accessors by their
/// symbols, and methods with these symbols are generated (Documentation/Formats/FoundationOnLinux.md, 4;
/// Documentation/Guides/Plugin.md, "How it works"). A source that the manifest excludes is copied, with the accessors
/// written out and without constructs of Objective-C.
package struct ManagedCode: Sendable {
    private let moduleName: String
    private let sources: [ManagedSource]
    private let rewriter: SourceRewriter
    private let types: TypeResolver

    /// Creates the code of a target.
    ///
    /// - Parameters:
    ///   - moduleName: The module that the sources are compiled into.
    ///   - models: The models of the target.
    ///   - sources: The sources of the target, including excluded ones.
    ///   - availableModules: The modules of other packages that the target can import and that replace Apple's.
    package init(
        moduleName: String, models: [Model], sources: [ManagedSource], availableModules: Set<String> = []
    ) {
        self.moduleName = moduleName
        self.sources = sources
        let rewriter = SourceRewriter(
            moduleName: moduleName, models: models, sources: sources, availableModules: availableModules)
        self.rewriter = rewriter
        types = TypeResolver(
            moduleName: moduleName, sources: sources.filter { !$0.isExcluded || rewriter.target.isCopied($0) },
            generatedClasses: rewriter.target.generatedClassNames.sorted())
    }

    private var target: TargetSources { rewriter.target }
    private var bodies: AccessorBodies { rewriter.bodies }

    /// Returns whether a copy of an excluded source is compiled: it has a construct that needs Objective-C or Core
    /// Data, and none that cannot be rewritten; or the model needs it.
    package func isAdopted(_ source: ManagedSource) -> Bool { target.isCopied(source) }

    // MARK: What cannot be done

    /// Returns the obstacles to compiling the sources on Linux.
    package func diagnostics() -> [Diagnostic] {
        var result: [Diagnostic] = []
        for source in sources {
            if source.isExcluded {
                result += isAdopted(source) ? copyProblems(source) : exclusion(of: source)
            } else {
                result += objectiveCProblems(source)
                let problems = SourceProblems(source: source, target: target)
                result += problems.overrides + problems.casts + problems.tests
                result += source.file.managedProperties.compactMap { problem(of: $0, in: source) }
                result += source.file.managedFunctions.compactMap { problem(of: $0, in: source) }
            }
        }
        return result + KeyMethodTable(target: target).diagnostics + MigrationPolicyTable(target: target).diagnostics
    }

    /// Returns the reasons why an excluded source is not copied.
    private func exclusion(of source: ManagedSource) -> [Diagnostic] {
        let obstacles = SourceProblems(source: source, target: target).obstacles
        guard !obstacles.isEmpty else {
            return [
                Diagnostic(
                    .note, rule: .sourceStaysExcluded,
                    "“\(source.fileName)” stays excluded: nothing in it needs a copy", file: source.path,
                    range: .fileStart,
                    help: "To compile it on Linux, take it out of the target's exclude: in Package.swift.")
            ]
        }
        // A source for a framework is left out on purpose. Others may be needed, and are missing without a compiler
        // error that says why.
        let needsFramework = source.file.importSites.contains {
            !$0.isUncertain && LinuxModules.isAvailable($0.module) == false
                && target.replacement(for: $0, in: source) == nil
        }
        return obstacles.map { obstacle in
            Diagnostic(
                needsFramework ? .note : .warning, rule: .sourceStaysExcluded,
                "“\(source.fileName)” stays excluded: \(obstacle.message)",
                file: source.path, range: obstacle.range, why: obstacle.why, help: obstacle.help)
        }
    }

    private func unknown(_ property: SwiftFile.ManagedProperty, in source: ManagedSource) -> Diagnostic {
        let className = property.context.path.last ?? ""
        return source.diagnostic(
            .warning, rule: .unknownManagedProperty,
            message: "“\(bodies.entityName(ofClass: className) ?? className)” has no property “\(property.name)”",
            at: property.nameRange,
            why: "Using it stops the program.", help: "Add it to the model, or take @NSManaged away.")
    }

    private func unknown(_ function: SwiftFile.ManagedFunction, in source: ManagedSource) -> Diagnostic {
        source.diagnostic(
            .error, rule: .unknownManagedFunction, message: "“\(function.name)” is not an accessor that Core Data has",
            at: function.nameRange, why: "@NSManaged gives functions for relationships a body, such as addToBooks(_:).",
            help: "Write the function out, or put it between #if canImport(ObjectiveC) and #endif.")
    }

    private func wayOut(_ source: ManagedSource) -> String {
        "Add “\(source.fileName)” to the target's exclude: in Package.swift; modelc then compiles a copy of it in which it works."
    }

    /// Returns a finding about the first construct that needs Objective-C in a source that the compiler sees; the fix
    /// is the same for all.
    private func objectiveCProblems(_ source: ManagedSource) -> [Diagnostic] {
        let file = source.file
        let found = file.objectiveCAttributes + file.keyPaths.map(\.range) + file.selectors.map(\.range)
        guard let first = found.min(by: { $0.lowerBound < $1.lowerBound }) else { return [] }
        return [
            source.diagnostic(
                .error, rule: .objectiveCAttribute, message: "\(source.text(first)) does not compile on Linux",
                at: first,
                why: "The compiler has no Objective-C there.",
                help: "\(wayOut(source)) Or put it between #if canImport(ObjectiveC) and #endif.")
        ]
    }

    private func copyProblems(_ source: ManagedSource) -> [Diagnostic] {
        var result = SourceProblems(source: source, target: target).notes
        result += source.file.managedFunctions.filter { bodies.function($0) == nil }.map { unknown($0, in: source) }
        for property in source.file.managedProperties {
            if property.type == nil || property.isStatic {
                result.append(hopeless(property, in: source))
            } else if bodies.property(property).isUnknown {
                result.append(unknown(property, in: source))
            }
        }
        return result
    }

    /// Returns the error for a property that cannot be given accessors, not even in a copy of the source.
    private func hopeless(_ property: SwiftFile.ManagedProperty, in source: ManagedSource) -> Diagnostic {
        source.diagnostic(
            .error, rule: .unsupportedManagedProperty, message: "“\(property.name)” cannot be given accessors",
            at: property.nameRange,
            why: "Its type cannot be read, or it belongs to the class itself.", help: "Write its accessors out.")
    }

    private func problem(of property: SwiftFile.ManagedProperty, in source: ManagedSource) -> Diagnostic? {
        if property.type == nil || property.isStatic { return hopeless(property, in: source) }
        do throws(TypeResolver.Unknown) {
            _ = try symbols(of: property, in: source)
            return bodies.property(property).isUnknown ? unknown(property, in: source) : nil
        } catch {
            return source.diagnostic(
                .error, rule: .unsupportedManagedProperty, message: "“\(property.name)” cannot be given accessors here",
                at: property.nameRange, why: "What the compiler calls them is not known: \(error.reason).",
                help: wayOut(source))
        }
    }

    private func problem(of function: SwiftFile.ManagedFunction, in source: ManagedSource) -> Diagnostic? {
        guard bodies.function(function) != nil else { return unknown(function, in: source) }
        do throws(TypeResolver.Unknown) {
            _ = try symbol(of: function, in: source)
            return nil
        } catch {
            return source.diagnostic(
                .error, rule: .unsupportedManagedFunction, message: "“\(function.name)” cannot be given a body here",
                at: function.nameRange, why: "What the compiler calls it is not known: \(error.reason).",
                help: wayOut(source))
        }
    }

    // MARK: Symbols

    private func owner(_ context: SwiftFile.Context) throws(TypeResolver.Unknown) -> SymbolMangler.Nominal {
        guard !context.isLocal else { throw TypeResolver.Unknown(reason: "the class is local to a function") }
        guard !context.isConstrained else {
            throw TypeResolver.Unknown(reason: "the class is generic, or the extension has conditions")
        }
        return try types.nominal(context.path)
    }

    /// Returns the discriminator that makes the symbols of a private declaration unique to its file.
    private func discriminator(_ access: String?, context: SwiftFile.Context, source: ManagedSource) -> String? {
        guard Self.isPrivate(access ?? context.extensionAccess) else { return nil }
        return "_" + MD5.hexString(Array((moduleName + source.fileName).utf8))
    }

    private static func isPrivate(_ access: String?) -> Bool { access == "private" || access == "fileprivate" }

    private func symbols(
        of property: SwiftFile.ManagedProperty, in source: ManagedSource
    ) throws(TypeResolver.Unknown) -> (getter: String, setter: String) {
        return SymbolMangler.accessors(
            property.name, of: try owner(property.context),
            type: try types.resolve(property.type, in: property.context.path),
            discriminator: discriminator(property.access, context: property.context, source: source))
    }

    private func symbol(
        of function: SwiftFile.ManagedFunction, in source: ManagedSource
    ) throws(TypeResolver.Unknown) -> String {
        var parameters: [(label: String?, type: SymbolMangler.MangledType)] = []
        for parameter in function.parameters {
            parameters.append((parameter.label, try types.resolve(parameter.type, in: function.context.path)))
        }
        return SymbolMangler.function(
            function.name, of: try owner(function.context), parameters: parameters,
            discriminator: discriminator(function.access, context: function.context, source: source))
    }

    // MARK: The file of accessors

    /// Returns the file with the accessors of the sources that the compiler sees. Declarations with problems are left
    /// out.
    ///
    /// - Parameter fileName: The file's name, for its header.
    package func accessorsFile(named fileName: String) -> String {
        let sources = sources.filter { !$0.isExcluded && $0.hasManagedDeclarations }
        var text = Self.header(fileName, "the @NSManaged declarations of \(moduleName)")
        let table = KeyMethodTable(target: target)
        let policies = MigrationPolicyTable(target: target)
        let properties = ObjectiveCPropertyTable(target: target)
        let hasTables = !table.isEmpty || !policies.isEmpty || !properties.isEmpty
        guard !sources.isEmpty || hasTables || needsModuleImport else { return text }
        var writer = StubWriter(moduleName: moduleName)
        for source in sources {
            for property in source.file.managedProperties {
                guard !property.isStatic, let symbols = try? symbols(of: property, in: source) else { continue }
                writer.add(property, symbols: symbols, body: bodies.property(property), in: source)
            }
            for function in source.file.managedFunctions {
                guard let symbol = try? symbol(of: function, in: source), let body = bodies.function(function) else {
                    continue
                }
                writer.add(function, symbol: symbol, body: body, in: source)
            }
        }
        text += "#if !canImport(ObjectiveC)\n\n"
        // The table names classes of copies too.
        let importing = !hasTables ? sources : self.sources.filter { !$0.isExcluded || isAdopted($0) }
        text += imports(of: importing).joined(separator: "\n") + "\n\n" + writer.text
        text += table.text + policies.text + properties.text + "#endif\n"
        return text
    }

    static func header(_ fileName: String, _ origin: String) -> String {
        """
        //
        //  \(fileName)
        //
        //  Generated by modelc from \(origin).
        //  This file was automatically generated and should not be edited.
        //


        """
    }

    /// Returns the imports of Foundation and Core Data in the sources, each once, with the highest access level that a
    /// source gives it.
    ///
    /// The compiler warns about a public import that nothing public needs. A type alias for a type of the module
    /// prevents this, as in Xcode's files.
    private func imports(of sources: [ManagedSource]) -> [String] {
        // The import that is always needed, with the lowest access level.
        let foundation = "Foundation"
        let own = "import \(foundation)"
        var texts = [foundation: own]
        if needsModuleImport { texts["CoreData"] = "@_exported public import CoreData" }
        let types = [foundation: "NSSet", "CoreData": "NSManagedObject"]
        let visible = ["public", "package"]
        func rank(_ text: String) -> Int {
            visible.firstIndex { text.contains("\($0) ") } ?? visible.count
        }
        for found in sources.flatMap(\.file.imports) where types[found.module] != nil {
            // The imported module, or declaration of a module. `import CoreData.NSManagedObject` imports the module on
            // Linux.
            var words = found.text.split(separator: " ").map(String.init)
            var key = words.last ?? found.module
            if words.count > 1, words[words.count - 2] == "import" {
                key = found.module
                words[words.count - 1] = key
            }
            let currentRank = texts[key].map { $0 == own ? .max : rank($0) } ?? .max
            if rank(found.text) < currentRank { texts[key] = words.joined(separator: " ") }
        }
        let names = types.sorted { $0.key < $1.key }.compactMap { module, type -> String? in
            guard let access = texts[module].flatMap({ visible.indices.contains(rank($0)) ? visible[rank($0)] : nil })
            else { return nil }
            return "\(access) typealias _\(moduleName)_managed_\(type) = \(type)"
        }
        return texts.values.sorted() + (names.isEmpty ? [] : [""] + names)
    }

    /// Whether a source that is compiled uses Core Data without importing it. On Apple's platforms another import, such
    /// as that of UIKit or SwiftUI, brings it in; here an exported import in one file serves the whole module.
    private var needsModuleImport: Bool {
        sources.contains { source in
            source.lacksCoreDataImport && (!source.isExcluded || isAdopted(source))
        }
    }

    // MARK: Copies

    /// Returns the code of a model, with the members of its classes that extensions in copied sources override.
    ///
    /// - Parameter text: The code that was generated for the model.
    package func completing(generated text: String) -> String {
        let insertions = ExtensionOverrides(target: target).insertionsIntoGenerated()
        guard !insertions.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let locations = SwiftFile(bytes).types.compactMap { type -> (Int, String)? in
            guard type.kind == .class, type.path.count == 1, let end = type.bodyEnd else { return nil }
            return insertions[type.path[0]].map { (end, $0) }
        }
        var result = bytes
        for (location, addition) in locations.sorted(by: { $0.0 > $1.0 }) {
            result.insert(contentsOf: Array(addition.utf8), at: location)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the copy of an excluded source that is compiled in its place.
    ///
    /// The compiler's messages name the source, with its line numbers and, up to the first accessor in a line, its
    /// columns.
    package func copy(of source: ManagedSource, named fileName: String) -> String {
        let header = Self.header(fileName, source.fileName)
        guard isAdopted(source) else {
            return header + "// The source stays excluded.\n"
        }
        return header + SourceCopy(source: source, rewriter: rewriter).text
    }
}

extension ManagedCode {
    /// Returns the file of a model without generated code: the build system expects each file that was declared as an
    /// output.
    package static func emptyFile(named fileName: String, origin: String) -> String {
        header(fileName, origin) + "// All its entities are set to Manual/None, or have no custom class.\n"
    }
}
