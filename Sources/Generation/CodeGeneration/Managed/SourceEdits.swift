internal import ModelSchema
internal import SwiftSources

/// Collects the changes that make a source compile on Linux.
struct SourceEdits {
    let source: ManagedSource
    let target: TargetSources
    let bodies: AccessorBodies
    private(set) var edits: [SourceRewriter.Edit] = []

    init(source: ManagedSource, target: TargetSources, bodies: AccessorBodies) {
        self.source = source
        self.target = target
        self.bodies = bodies
    }

    private var file: SwiftFile { source.file }

    private mutating func add(_ kind: SourceRewriter.Edit.Kind, range: Range<Int>, text: String) {
        edits.append(SourceRewriter.Edit(kind: kind, range: range, text: text))
    }

    private mutating func insert(_ kind: SourceRewriter.Edit.Kind, at location: Int, _ text: String) {
        add(kind, range: location..<location, text: text)
    }

    mutating func collect() {
        // In a copy, these would not be at the start of the file.
        if source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { add(.encoding, range: 0..<3, text: "") }
        if source.bytes.starts(with: Array("#!".utf8)) { add(.encoding, range: 0..<2, text: "//") }
        for range in file.managedAttributes { add(.accessors, range: range, text: blanked(range)) }
        for range in file.objectiveCAttributes { add(.attribute, range: range, text: blanked(range)) }
        for property in file.managedProperties { addAccessors(of: property) }
        for function in file.managedFunctions {
            guard let body = bodies.function(function) else { continue }
            insert(.accessors, at: function.end, " { \(body) }")
        }
        addExpressions()
        addOptionalRequirements()
        for observer in ObserverOverrides(target: target).observers(in: source) { addObserver(observer) }
        for test in target.mainActorTests(source) { addIsolation(of: test) }
        addImports()
        addInitializers()
        for type in file.types where type.kind == .protocol && type.isObjectiveC && type.inherited.isEmpty {
            insert(.protocolDeclaration, at: type.nameRange.upperBound, ": AnyObject")
        }
        for member in file.overrides { addOverride(member) }
        for (location, text) in ExtensionOverrides(target: target).insertions(into: source) {
            insert(.override, at: location, text)
        }
    }

    /// Returns as many spaces as there are characters, with the line endings kept.
    private func blanked(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(source.text(range).unicodeScalars.map { $0 == "\n" || $0 == "\r" ? $0 : " " }))
    }

    // MARK: Managed properties

    private mutating func addAccessors(of property: SwiftFile.ManagedProperty) {
        let body = bodies.property(property)
        let text = " { get { \(body.get) } set { \(body.set) } }"
        guard property.typeRange.isEmpty else {
            return insert(.accessors, at: property.typeRange.upperBound, text)
        }
        // `a, b: Int`: only the last name has a type annotation.
        guard
            let owner = file.managedProperties.first(where: {
                $0.nameRange.lowerBound > property.nameRange.lowerBound && !$0.typeRange.isEmpty
            })
        else { return }
        insert(.accessors, at: property.nameRange.upperBound, ": " + source.text(owner.typeRange) + text)
    }

    // MARK: Expressions

    private mutating func addExpressions() {
        let imports = Set(file.importSites.map(\.module))
        for keyPath in file.keyPaths where keyPath.isPlain {
            let names = keyPath.path.dropFirst(target.typeNames(in: keyPath.path, imports: imports))
            replace(.keyPath, range: keyPath.range, text: SwiftIdentifier.stringLiteral(names.joined(separator: ".")))
        }
        let before = edits.count
        let selectors = SelectorText(source: source, target: target)
        for selector in file.selectors {
            guard let text = selectors.text(of: selector) else { continue }
            replace(.selector, range: selector.range, text: text)
        }
        for cast in file.fetchRequestCasts {
            let type = source.text(cast.typeRange).split(whereSeparator: \.isNewline).joined(separator: " ")
            replace(.fetchRequestCast, range: cast.range, text: "~>\(cast.isConditional ? "?" : "!") \(type).self")
        }
        for expression in file.renamedExpressions {
            replace(.renamedExpression, range: expression.range, text: expression.text)
        }
        // On Linux, CoreData declares what these expressions use.
        if edits.count > before, !imports.contains("CoreData") { addImport("CoreData") }
        if target.lacksLoggingImport(source) { addImport(FrameworkReplacement.logging) }
    }

    private mutating func addImport(_ module: String) {
        let first = file.importSites.first { !$0.isUncertain }
        insert(.importDeclaration, at: first?.start ?? 0, "import \(module); ")
    }

    // MARK: Tests on the main actor

    private mutating func addIsolation(of test: SwiftFile.TestMethod) {
        if let range = test.isolation { add(.mainActorTest, range: range, text: blanked(range)) }
        // An override has the isolation of the method in XCTest's class.
        if !test.isOverride || test.name.hasPrefix("test") { insert(.mainActorTest, at: test.keyword, "nonisolated ") }
        // The closure's errors have no type.
        if let range = test.errorType { add(.mainActorTest, range: range, text: blanked(range)) }
        let effect = test.canThrow ? " throws" : ""
        insert(
            .mainActorTest, at: test.body.lowerBound,
            "\(test.canThrow ? " try" : "") MainActor.assumeIsolated { ()\(effect) -> Void in")
        insert(.mainActorTest, at: test.body.upperBound, "} ")
    }

    // MARK: Optional requirements

    private mutating func addOptionalRequirements() {
        for requirement in file.optionalRequirements where OptionalRequirements.canDefault(requirement, in: source) {
            guard let type = file.types.first(where: { $0.path == requirement.context.path && $0.kind == .protocol }),
                let end = type.bodyEnd
            else { continue }
            add(.optionalRequirement, range: requirement.range, text: blanked(requirement.range))
            let access = type.access.map { "\($0) " } ?? ""
            let declaration = source.text(requirement.declaration).split(whereSeparator: \.isNewline)
                .joined(separator: " ")
            insert(
                .optionalRequirement, at: end + 1,
                "; \(access)extension \(RuntimeTable.typeName(type.path)) { \(declaration) {} }")
        }
        for call in file.optionalCalls where target.optionalRequirements.contains(call.name) {
            add(.optionalRequirement, range: call.questionMark, text: " ")
        }
    }

    /// Replaces an expression, followed by as many line endings as the old one contained.
    private mutating func replace(_ kind: SourceRewriter.Edit.Kind, range: Range<Int>, text: String) {
        let lineEnds = source.bytes[range].filter { $0 == UInt8(ascii: "\n") }.count
        add(kind, range: range, text: text + String(repeating: "\n", count: lineEnds))
    }

    // MARK: Key-value observers

    private mutating func addObserver(_ observer: ObserverOverrides.Observer) {
        guard let end = observer.type.bodyEnd else { return }
        let modifier = observer.member.modifierRange
        add(.keyValueObserver, range: modifier, text: blanked(modifier))
        let name = RuntimeTable.typeName(observer.type.path)
        // Both branches of an #if may have an override.
        let isFirst = !edits.contains { $0.kind == .keyValueObserver && $0.range == end + 1..<end + 1 }
        if isFirst { insert(.keyValueObserver, at: end + 1, "; extension \(name): KeyValueObserver {}") }
        for call in file.superclassObservations where observer.type.contains(call) {
            replace(.keyValueObserver, range: call, text: "observeUnhandledValue")
        }
    }

    // MARK: Imports

    private mutating func addImports() {
        for site in file.importSites {
            if !site.submoduleRange.isEmpty, TargetSources.hasSubmodules(site.module) {
                add(.importDeclaration, range: site.submoduleRange, text: "")
            } else if let other = target.replacement(for: site, in: source) {
                add(
                    .importDeclaration, range: site.moduleRange.lowerBound..<site.submoduleRange.upperBound, text: other
                )
            }
        }
    }

    // MARK: Initializers

    private mutating func addInitializers() {
        for initializer in file.initializers where !initializer.context.isExtension {
            let labels = initializer.parameters.map(\.label)
            // A required initializer is as accessible as its class.
            if labels == ["entity", "insertInto"] || labels == ["context"], isManaged(initializer.context),
                let range = initializer.accessRange, ["private", "fileprivate"].contains(source.text(range))
            {
                add(.requiredInitializer, range: range, text: blanked(range))
            }
            if labels == ["entity", "insertInto"] {
                guard let range = initializer.overrideRange else { continue }
                add(.requiredInitializer, range: range, text: initializer.isRequired ? blanked(range) : "required")
            } else if labels == ["context"], !initializer.isRequired, isManaged(initializer.context),
                initializer.parameters[0].type?.lastName == "NSManagedObjectContext"
            {
                if let range = initializer.overrideRange {
                    add(.requiredInitializer, range: range, text: "required")
                } else {
                    insert(.requiredInitializer, at: initializer.range.lowerBound, "required ")
                }
            }
        }
        for type in file.types where type.kind == .class {
            guard let end = type.bodyEnd, !type.isGeneric else { continue }
            let own = file.initializers.filter {
                $0.context.path == type.path && !$0.context.isExtension && type.contains($0.range)
            }
            guard own.contains(where: { !$0.isConvenience }),
                !own.contains(where: { $0.parameters.map(\.label) == ["entity", "insertInto"] }),
                type.isLocal ? TargetSources.isManaged(type) : target.isManaged(type.path)
            else { continue }
            let access = ["open", "public"].contains(type.access) ? "public " : ""
            insert(
                .requiredInitializer, at: end,
                "\(access)required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) "
                    + "{ super.init(entity: entity, insertInto: context) } ")
        }
        for type in target.storesWithOtherInitializers(source) {
            guard let end = type.bodyEnd else { continue }
            let access = ["open", "public"].contains(type.access) ? "public " : ""
            insert(
                .requiredInitializer, at: end,
                "\(access)required init(_opening root: NSPersistentStoreCoordinator, configurationName name: String?, "
                    + "at url: URL, options: [AnyHashable: Any]?) { fatalError(\"\(RuntimeTable.typeName(type.path)) "
                    + "cannot be added to a coordinator by its type: its initializers have other parameters\") } ")
        }
    }

    private func isManaged(_ context: SwiftFile.Context) -> Bool {
        guard context.isLocal else { return target.isManaged(context.path) }
        return file.types.contains { $0.isLocal && $0.path == context.path && TargetSources.isManaged($0) }
    }

    // MARK: Overrides

    /// Renames the extension's member and removes `override`; the class calls it.
    private mutating func addOverride(_ member: SwiftFile.Override) {
        guard ExtensionOverrides(target: target).canMove(member) else { return }
        add(.override, range: member.modifierRange, text: blanked(member.modifierRange))
        add(.override, range: member.nameRange, text: ExtensionOverrides.name(of: member))
    }
}

extension SwiftFile.TypeDeclaration {
    /// Returns whether a range is in the body of the type.
    func contains(_ range: Range<Int>) -> Bool {
        range.lowerBound > nameRange.upperBound && bodyEnd.map { range.upperBound <= $0 } ?? false
    }
}
