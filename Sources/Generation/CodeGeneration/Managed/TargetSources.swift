internal import ModelSchema
internal import SwiftSources

/// The sources of a target and the classes in them.
struct TargetSources: Sendable {
    /// The location of a type's declaration.
    struct Location: Sendable {
        /// The index of the source in `sources`.
        var source: Int
        var type: SwiftFile.TypeDeclaration
    }

    /// The location of the declaration of an extension's class.
    enum ClassLocation {
        /// In a source that is copied.
        case copy(Location)
        /// In a source that the compiler sees.
        case compiled(Location)
        /// In the code that modelc generates for a model.
        case generated(String)
        case unknown
    }

    let moduleName: String
    let sources: [ManagedSource]
    /// The names of the models' classes that are not generated.
    let ownClassNames: Set<String>
    let generatedClassNames: Set<String>
    /// The modules of other packages that replace Apple's.
    let availableModules: Set<String>
    /// The names of the optional methods of protocols that have default implementations in copies.
    let optionalRequirements: Set<String>
    private var declared: [[String]: Location] = [:]
    /// The paths of the excluded sources that are copied.
    private var copiedPaths: Set<String> = []

    init(moduleName: String, models: [Model], sources: [ManagedSource], availableModules: Set<String>) {
        self.moduleName = moduleName
        self.sources = sources
        self.availableModules = availableModules
        optionalRequirements = sources.filter(\.isExcluded).reduce(into: OptionalRequirements.ofRuntime) {
            names, source in
            for requirement in source.file.optionalRequirements
            where OptionalRequirements.canDefault(requirement, in: source) {
                if let name = requirement.method { names.insert(name) }
            }
        }
        let entities = models.flatMap(\.entities).filter(\.className.isCustom)
        ownClassNames = Set(entities.filter { $0.codeGeneration != .classDefinition }.map(\.className.name))
        generatedClassNames = Set(entities.filter { $0.codeGeneration == .classDefinition }.map(\.className.name))
        for (number, source) in sources.enumerated() {
            for type in source.file.types where !type.isLocal && declared[type.path] == nil {
                declared[type.path] = Location(source: number, type: type)
            }
        }
        for source in sources where source.isExcluded && (source.isInModelFolder || needsCopy(source)) {
            guard isNeeded(source) || SourceProblems(source: source, target: self).obstacles.isEmpty else { continue }
            copiedPaths.insert(source.path)
        }
        // The classes whose members extensions in copies override.
        for source in sources where isCopied(source) {
            for member in source.file.overrides where member.context.isExtension {
                guard let location = declaration(member.context.path), sources[location.source].isExcluded,
                    SourceProblems(source: sources[location.source], target: self).obstacles.isEmpty
                else { continue }
                copiedPaths.insert(sources[location.source].path)
            }
        }
    }

    // MARK: Types

    /// Returns the declaration of a type by its path, with or without the module's name as a prefix.
    func declaration(_ path: [String]) -> Location? {
        if let location = declared[path] { return location }
        return path.first == moduleName ? declared[Array(path.dropFirst())] : nil
    }

    /// Returns the number of names at the start of a path that name a type.
    func typeNames(in path: [String], imports: Set<String>) -> Int {
        var count = 0
        if path.count > 2, path[0] == moduleName || imports.contains(path[0]), declared[[path[0]]] == nil { count = 1 }
        let first = count
        while count + 1 < path.count, declared[Array(path[first...count])] != nil { count += 1 }
        if count > first { return count }
        // A type of another module, by the convention that only the names of types start with an uppercase letter.
        guard path.count > first + 1, let letter = path[first].first, letter.isUppercase else { return first }
        return first + 1
    }

    /// Returns whether a class of the target inherits from `NSManagedObject`, as far as the sources show.
    func isManaged(_ path: [String]) -> Bool {
        var path = path
        for _ in 0..<32 {
            if let name = path.last, ownClassNames.contains(name) || generatedClassNames.contains(name) { return true }
            guard let type = declaration(path)?.type else { return false }
            if Self.isManaged(type) { return true }
            guard case .named(let names)? = type.inherited.first else { return false }
            let inner = path.dropLast() + names.map(\.name)
            path = declaration(Array(inner)) == nil ? names.map(\.name) : Array(inner)
        }
        return false
    }

    /// Returns whether a class of the target inherits from `NSEntityMigrationPolicy`, as far as the sources show.
    func isMigrationPolicy(_ path: [String]) -> Bool { lineage(of: path, from: "NSEntityMigrationPolicy") != nil }

    /// Returns the store classes of a source that declare designated initializers, but not the superclass's: they do
    /// not inherit the initializer that a coordinator calls.
    func storesWithOtherInitializers(_ source: ManagedSource) -> [SwiftFile.TypeDeclaration] {
        source.file.types.filter { type in
            // The clauses of an `#if` may declare the same type.
            let own = source.file.initializers.filter {
                $0.context.path == type.path && !$0.context.isExtension && type.contains($0.range)
            }
            let labels = own.map { $0.parameters.map(\.label) }
            return own.contains { !$0.isConvenience }
                && !labels.contains(["persistentStoreCoordinator", "configurationName", "at", "options"])
                && !labels.contains(["_opening", "configurationName", "at", "options"])
                && Self.storeClasses.contains { lineage(of: type.path, from: $0) != nil }
        }
    }

    private static let storeClasses = ["NSAtomicStore", "NSIncrementalStore", "NSPersistentStore"]

    /// Returns the declarations of a class and its superclasses up to a class of another module; `nil` if the class
    /// does not inherit from it, as far as the sources show.
    private func lineage(of path: [String], from root: String) -> [SwiftFile.TypeDeclaration]? {
        var result: [SwiftFile.TypeDeclaration] = []
        var next = declaration(path)?.type
        while let type = next, type.kind == .class, result.count < 32 {
            result.append(type)
            if type.inherited.first?.lastName == root { return result }
            next = superclass(of: type)
        }
        return nil
    }

    /// Returns the declaration of a class's superclass, if it is in the target.
    private func superclass(of type: SwiftFile.TypeDeclaration) -> SwiftFile.TypeDeclaration? {
        guard type.kind == .class, case .named(let names)? = type.inherited.first else { return nil }
        let path = names.map(\.name)
        return (declaration(type.path.dropLast() + path) ?? declaration(path))?.type
    }

    /// Returns the classes of the target that inherit from each class, by its path.
    func subclasses() -> [[String]: [SwiftFile.TypeDeclaration]] {
        var result: [[String]: [SwiftFile.TypeDeclaration]] = [:]
        for source in sources where !source.isExcluded || isCopied(source) {
            for type in source.file.types where type.kind == .class && !type.isLocal {
                var next = superclass(of: type)
                for _ in 0..<32 {
                    guard let ancestor = next else { break }
                    result[ancestor.path, default: []].append(type)
                    next = superclass(of: ancestor)
                }
            }
        }
        return result
    }

    /// Returns whether a method is a synchronous test, or a fixture, that is isolated to the main actor.
    ///
    /// XCTest on Linux casts test methods to functions without isolation, which stops the program; on Apple's
    /// platforms, it finds them in the Objective-C runtime.
    private func isMainActorTest(_ method: SwiftFile.TestMethod) -> Bool {
        guard !method.context.isLocal, !method.context.isConstrained,
            let classes = lineage(of: method.context.path, from: "XCTestCase")
        else { return false }
        if let actor = method.globalActor { return actor == "MainActor" }
        // A fixture that does not use the actor compiles as it is, and one that does needs the attribute of the class.
        return classes.contains { $0.globalActor == "MainActor" }
    }

    /// Returns the methods of a source that are synchronous tests, or fixtures, isolated to the main actor.
    func mainActorTests(_ source: ManagedSource) -> [SwiftFile.TestMethod] {
        source.file.testMethods.filter(isMainActorTest)
    }

    /// Returns whether a class names `NSManagedObject` as its superclass.
    static func isManaged(_ type: SwiftFile.TypeDeclaration) -> Bool {
        type.kind == .class && type.inherited.first?.lastName == "NSManagedObject"
    }

    /// Returns the location of an extension's class.
    func location(ofClass path: [String]) -> ClassLocation {
        if let location = declaration(path) {
            let source = sources[location.source]
            guard source.isExcluded else { return .compiled(location) }
            return isCopied(source) ? .copy(location) : .unknown
        }
        if let name = path.last, path.count <= 2, generatedClassNames.contains(name) { return .generated(name) }
        return .unknown
    }

    // MARK: Sources

    /// Returns whether a model needs the source: it has `@NSManaged` declarations, or declares the class of an entity.
    func isNeeded(_ source: ManagedSource) -> Bool {
        source.hasManagedDeclarations
            || source.file.types.contains { type in
                type.kind == .class && type.path.count == 1
                    && (ownClassNames.contains(type.path[0])
                        || type.objectiveCName.map { ownClassNames.contains($0) } ?? false)
            }
    }

    /// Returns whether the source has a construct that compiles on Linux only in a copy.
    func needsCopy(_ source: ManagedSource) -> Bool {
        let file = source.file
        return isNeeded(source) || !file.objectiveCAttributes.isEmpty || !file.keyPaths.isEmpty
            || !file.selectors.isEmpty || !file.fetchRequestCasts.isEmpty || !file.renamedExpressions.isEmpty
            || !file.optionalRequirements.isEmpty
            || file.optionalCalls.contains { optionalRequirements.contains($0.name) }
            || file.overrides.contains { $0.context.isExtension } || lacksLoggingImport(source)
            || file.importSites.contains { site in
                !site.submoduleRange.isEmpty && Self.hasSubmodules(site.module)
                    || replacement(for: site, in: source) != nil
            }
            || file.testMethods.contains(where: isMainActorTest)
            || !ObserverOverrides(target: self).observers(in: source).isEmpty
            || !storesWithOtherInitializers(source).isEmpty
    }

    /// Returns whether a copy needs the module that declares locks, and the source does not import `os`.
    func lacksLoggingImport(_ source: ManagedSource) -> Bool {
        source.file.namesUnfairLock && !source.file.importSites.contains { $0.module == "os" || $0.module == "OSLog" }
    }

    /// Returns the module that a copy imports in place of another; `nil` if the import stays, or the source needs a
    /// framework that Linux does not have.
    func replacement(for site: SwiftFile.ImportSite, in source: ManagedSource) -> String? {
        FrameworkReplacement.module(for: site, in: source, available: availableModules)
    }

    static func hasSubmodules(_ module: String) -> Bool { module == "CoreData" || module == "Foundation" }

    /// Returns whether a copy of an excluded source is compiled.
    func isCopied(_ source: ManagedSource) -> Bool { source.isExcluded && copiedPaths.contains(source.path) }
}
