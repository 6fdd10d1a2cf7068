public import Diagnostics
public import ModelSchema
internal import SwiftSources

/// Completes the classes that people write: gives `@NSManaged` properties and functions their accessors, where there is no
/// Objective-C runtime that would.
///
/// A declaration in a source that the compiler sees stays as it is. The compiler refers to its accessors by their symbols, and
/// methods with just these symbols are generated (foundation-on-linux.md, 4; Documentation/Plugin.md, "How it works"). Of a
/// source that the manifest excludes, a copy is made with the accessors written out and without what is Objective-C's.
public struct ManagedCode: Sendable {
    private let moduleName: String
    private let sources: [ManagedSource]
    private let bodies: AccessorBodies
    private let types: TypeResolver
    /// The names of the classes that models name and that nobody generates.
    private let ownClassNames: Set<String>

    /// Prepares to generate.
    ///
    /// - Parameters:
    ///   - moduleName: the module that the sources are compiled into.
    ///   - models: the models of the target.
    ///   - sources: the sources of the target, those that it excludes too.
    public init(moduleName: String, models: [Model], sources: [ManagedSource]) {
        self.moduleName = moduleName
        self.sources = sources
        bodies = AccessorBodies(models: models)
        let entities = models.flatMap(\.entities).filter(\.className.isCustom)
        let ownClassNames = Set(entities.filter { $0.codeGeneration != .classDefinition }.map(\.className.name))
        self.ownClassNames = ownClassNames
        let generated = entities.filter { $0.codeGeneration == .classDefinition }.map(\.className.name)
        types = TypeResolver(
            moduleName: moduleName, sources: sources.filter { !$0.isExcluded || Self.isAdopted($0, ownClassNames) },
            generatedClasses: generated)
    }

    private static func isAdopted(_ source: ManagedSource, _ classes: Set<String>) -> Bool {
        source.hasManagedDeclarations
            || source.file.types.contains { $0.kind == .class && $0.path.count == 1 && classes.contains($0.path[0]) }
    }

    /// Whether a copy of an excluded source is compiled: it has `@NSManaged` declarations or declares a class of a model.
    public func isAdopted(_ source: ManagedSource) -> Bool {
        source.isExcluded && Self.isAdopted(source, ownClassNames)
    }

    // MARK: What cannot be done

    /// What is in the way of compiling the sources on Linux.
    public func diagnostics() -> [Diagnostic] {
        var result: [Diagnostic] = []
        for source in sources {
            if source.isExcluded {
                if isAdopted(source) { result += copyProblems(source) }
            } else {
                result += objectiveCProblems(source)
                result += source.file.managedProperties.compactMap { problem(of: $0, in: source) }
                result += source.file.managedFunctions.compactMap { problem(of: $0, in: source) }
            }
        }
        return result
    }

    private func unknown(_ property: SwiftFile.ManagedProperty, in source: ManagedSource) -> Diagnostic {
        let className = property.context.path.last ?? ""
        return source.diagnostic(
            .warning, .unknownManagedProperty,
            "“\(bodies.entityName(ofClass: className) ?? className)” has no property “\(property.name)”",
            at: property.nameRange,
            why: "Using it stops the program.", help: "Add it to the model, or take @NSManaged away.")
    }

    private func unknown(_ function: SwiftFile.ManagedFunction, in source: ManagedSource) -> Diagnostic {
        source.diagnostic(
            .error, .unknownManagedFunction, "“\(function.name)” is no accessor that Core Data has",
            at: function.nameRange, why: "@NSManaged gives functions for relationships a body, such as addToBooks(_:).",
            help: "Write the function out, or put it between #if canImport(ObjectiveC) and #endif.")
    }

    private func wayOut(_ source: ManagedSource) -> String {
        "Add “\(source.fileName)” to the target's exclude: in Package.swift; modelc then compiles a copy of it in which it works."
    }

    /// Objective-C attributes in a source that has to do with Core Data. Those elsewhere are none of ours.
    private func objectiveCProblems(_ source: ManagedSource) -> [Diagnostic] {
        guard let first = source.file.objectiveCAttributes.first, Self.isAdopted(source, ownClassNames) else {
            return []
        }
        return [
            source.diagnostic(
                .error, .objectiveCAttribute, "\(source.text(first)) does not compile on Linux", at: first,
                why: "The compiler has no Objective-C there.",
                help: "\(wayOut(source)) Or put the attribute between #if canImport(ObjectiveC) and #endif.")
        ]
    }

    private func copyProblems(_ source: ManagedSource) -> [Diagnostic] {
        var result = source.file.managedFunctions.filter { bodies.function($0) == nil }.map { unknown($0, in: source) }
        for property in source.file.managedProperties {
            if property.type == nil || property.isStatic {
                result.append(hopeless(property, in: source))
            } else if bodies.property(property).isUnknown {
                result.append(unknown(property, in: source))
            }
        }
        return result
    }

    /// A property that not even a copy of the source helps.
    private func hopeless(_ property: SwiftFile.ManagedProperty, in source: ManagedSource) -> Diagnostic {
        source.diagnostic(
            .error, .unsupportedManagedProperty, "“\(property.name)” cannot be given accessors",
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
                .error, .unsupportedManagedProperty, "“\(property.name)” cannot be given accessors here",
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
                .error, .unsupportedManagedFunction, "“\(function.name)” cannot be given a body here",
                at: function.nameRange, why: "What the compiler calls it is not known: \(error.reason).",
                help: wayOut(source))
        }
    }

    // MARK: Symbols

    private func owner(_ context: SwiftFile.Context) throws(TypeResolver.Unknown) -> SymbolMangler.Nominal {
        guard !context.isConstrained else {
            throw TypeResolver.Unknown(reason: "the class is generic, or the extension has conditions")
        }
        return try types.nominal(context.path)
    }

    /// What makes the symbols of a private declaration different from file to file.
    private func discriminator(_ access: String?, _ context: SwiftFile.Context, _ source: ManagedSource) -> String? {
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
            discriminator: discriminator(property.access, property.context, source))
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
            discriminator: discriminator(function.access, function.context, source))
    }

    // MARK: The file of accessors

    /// The file with the accessors of the sources that the compiler sees; declarations with problems are left out.
    ///
    /// - Parameter fileName: the file's name, for its header.
    public func accessorsFile(named fileName: String) -> String {
        let sources = sources.filter { !$0.isExcluded && $0.hasManagedDeclarations }
        var text = Self.header(fileName, "the @NSManaged declarations of \(moduleName)")
        guard !sources.isEmpty else { return text }
        var writer = StubWriter(moduleName: moduleName)
        for source in sources {
            for property in source.file.managedProperties {
                guard !property.isStatic, let symbols = try? symbols(of: property, in: source) else { continue }
                writer.add(property, symbols, bodies.property(property), in: source)
            }
            for function in source.file.managedFunctions {
                guard let symbol = try? symbol(of: function, in: source), let body = bodies.function(function) else {
                    continue
                }
                writer.add(function, symbol, body, in: source)
            }
        }
        text += "#if !canImport(ObjectiveC)\n\n"
        text += imports(of: sources).joined(separator: "\n") + "\n\n" + writer.text + "#endif\n"
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

    /// The imports of the two modules whose types accessors have, each once, as visible as the most visible one of the sources.
    ///
    /// A public import that nothing public needs is a warning, which a name for a type of the module prevents, as in Xcode's files.
    private func imports(of sources: [ManagedSource]) -> [String] {
        // What is the least visible, and needed in any case.
        let foundation = "Foundation"
        let own = "import \(foundation)"
        var texts = [foundation: own]
        let types = [foundation: "NSSet", "CoreData": "NSManagedObject"]
        for found in sources.flatMap(\.file.imports) where types[found.module] != nil {
            // What is imported: a module, or a part of one.
            let key = found.text.split(separator: " ").last.map(String.init) ?? found.module
            let isKnown = texts[key].map { $0 != own } ?? false
            if !isKnown || found.text.contains("public ") { texts[key] = found.text }
        }
        let names = types.sorted { $0.key < $1.key }.compactMap { module, type -> String? in
            guard let access = ["public", "package"].first(where: { texts[module]?.contains("\($0) ") ?? false }) else {
                return nil
            }
            return "\(access) typealias _\(moduleName)_managed_\(type) = \(type)"
        }
        return texts.values.sorted() + (names.isEmpty ? [] : [""] + names)
    }

    // MARK: Copies

    /// The copy of an excluded source that is compiled in its place.
    ///
    /// Lines and, up to the first accessor in a line, columns are those of the source, and the compiler's messages name it.
    public func copy(of source: ManagedSource, named fileName: String) -> String {
        let header = Self.header(fileName, source.fileName)
        guard isAdopted(source) else {
            return header + "// The source has nothing that Core Data has to complete, and stays excluded.\n"
        }
        return header + SourceCopy(source: source, bodies: bodies).text
    }
}

extension ManagedCode {
    /// A file of a model that nothing is generated for: a build system wants the files that were announced.
    public static func emptyFile(named fileName: String, origin: String) -> String {
        header(fileName, origin) + "// All its entities are set to Manual/None, or have no class of their own.\n"
    }
}
