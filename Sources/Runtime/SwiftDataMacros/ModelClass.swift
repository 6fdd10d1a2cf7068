#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A class with `@Model`.
struct ModelClass {
    let declaration: ClassDeclSyntax
    /// Whether the superclass is a model.
    let isSubclass: Bool

    init?(_ group: some DeclGroupSyntax, isSubclass: Bool) {
        guard let declaration = group.as(ClassDeclSyntax.self) else { return nil }
        self.declaration = declaration
        self.isSubclass = isSubclass
    }

    private var name: TokenSyntax { declaration.name.trimmed }

    /// Returns lines for the stored properties.
    private func lines(_ text: (StoredProperty) -> String?) -> [CodeLine] {
        declaration.memberBlock.members.lines { item in
            StoredProperty.all(in: item).filter { !$0.isTransient }.compactMap(text)
        }
    }

    /// Returns the expression for the number of a stored property among those of the class.
    func number(of property: StoredProperty) -> String {
        let names = lines { $0.name.text }
        let number = names.allSatisfy(\.isCode) ? names.firstIndex { $0.text == property.name.text } : nil
        return number.map { "\($0)" } ?? "_$Number.\(property.name.text).rawValue"
    }

    private var isFinal: Bool { has("final") }

    private func has(_ modifier: String) -> Bool {
        declaration.modifiers.contains { $0.name.text == modifier && $0.detail == nil }
    }

    /// The access level of members that the protocol requires, with a trailing space.
    private var access: String {
        if has("public") || has("open") { return "public " }
        if has("package") { return "package " }
        return ""
    }

    /// The access level of members that the macro also adds to subclasses, which may be those of other modules.
    private var overridableAccess: String { has("open") ? "open " : access }

    // MARK: Members

    var members: [DeclSyntax] {
        let override = isSubclass ? "override " : ""
        let schemaMetadata: DeclSyntax = """
            \(raw: overridableAccess)\(raw: override)\(raw: isFinal ? "static" : "class") var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                \(raw: metadata.list(of: "SwiftData.Schema.PropertyMetadata"))
            }
            """
        let metadata = [schemaMetadata] + [inheritableKeyPaths, numbers].compactMap { $0 }
        guard !isSubclass else { return subclassStorage + metadata + [initializer, "struct _SwiftDataNoType {}"] }
        let registrar: DeclSyntax = """
            @Transient
            private let _$observationRegistrar = SwiftData._ModelObservationRegistrar()
            """
        return storage + metadata + [initializer] + (isFinal ? fastPaths : []) + [registrar] + observation
            + [equality].compactMap { $0 } + ["struct _SwiftDataNoType {}"]
    }

    /// The witness of `Equatable` for a class that declares `==`: the compiler finds an operator twice if a macro adds
    /// the conformance, and calls it ambiguous.
    private var equality: DeclSyntax? {
        let operators = declaration.memberBlock.members.lines { item in
            item.decl.as(FunctionDeclSyntax.self)?.name.text == "==" ? ["=="] : []
        }
        guard !operators.isEmpty else { return nil }
        return """
            @_implements(Equatable, ==(_:_:))
            \(raw: access)nonisolated static func _$isEqual(lhs: \(name), rhs: \(name)) -> Bool {
                lhs == rhs
            }
            """
    }

    /// The key paths by which a subclass, too, is the root: a key path of the superclass is not one of the subclass.
    private var inheritableKeyPaths: DeclSyntax? {
        guard !isFinal else { return nil }
        let paths = lines { "\\_M.\($0.name.text)" }
        return """
            \(raw: overridableAccess)\(raw: isSubclass ? "override " : "")class var _inheritableKeyPaths: [AnyKeyPath] {
                func keyPaths<_M: \(name)>(_: _M.Type) -> [AnyKeyPath] {
                    \(raw: paths.list(of: "AnyKeyPath"))
                }
                return \(raw: isSubclass ? "super._inheritableKeyPaths + " : "")keyPaths(Self.self)
            }
            """
    }

    /// The numbers of the properties if some are in `#if` clauses: the compiler knows which of these are active.
    private var numbers: DeclSyntax? {
        let cases = lines { "case \($0.name.text)" }
        guard !cases.allSatisfy(\.isCode) else { return nil }
        return """
            private nonisolated enum _$Number: Int {
                \(raw: (cases.map(\.text) + ["case _$end"]).joined(separator: "\n    "))
            }
            """
    }

    private var storage: [DeclSyntax] {
        [
            """
            @Transient
            @exclusivity(unchecked)
            private var _$backingData = SwiftData._ModelStorage<\(name)>(\(name)._$class)
            """,
            "private nonisolated static let _$class = SwiftData._ModelClass(\(name).self)",
            """
            \(raw: overridableAccess)var persistentBackingData: any SwiftData.BackingData<\(name)> {
                get {
                    return _$backingData._backingData()
                }
                set {
                    _$backingData._adopt(newValue)
                }
            }
            """,
            "private var _$core: SwiftData._ModelCore { _$backingData._existing ?? _$backingData._make() }",
            "private static var _$base: Int { 0 }",
        ]
    }

    /// The values of a subclass: they are set before the superclass's initializer runs, and join those of the
    /// superclass afterwards.
    private var subclassStorage: [DeclSyntax] {
        [
            """
            @Transient
            private var _$backingData = SwiftData._SubclassBackingData<\(name)>()
            """,
            """
            \(raw: overridableAccess)override var persistentBackingData: any SwiftData.BackingData<\(name).Root> {
                get {
                    return _$backingData.joining(super.persistentBackingData)
                }
                set {
                    super.persistentBackingData = newValue
                }
            }
            """,
            "private var _$core: SwiftData._ModelCore { persistentBackingData._core }",
            "private static let _$base = SwiftData._SubclassBackingData<\(name)>.base",
        ]
    }

    /// The statements that initialize the stored properties of a model with values.
    private func assignments(from core: String) -> [String] {
        let assignments = lines { property in
            guard property.isLet else { return "_\(property.plainName) = _SwiftDataNoType()" }
            // A constant with an initial value is overwritten when the object is made.
            guard property.initializer == nil else { return nil }
            return "self.\(property.name.text) = \(core).constant(\\\(name.text).\(property.name.text))"
        }
        return assignments.map(\.text)
    }

    /// The members of a final class that the module uses instead of those with backing data.
    private var fastPaths: [DeclSyntax] {
        let body = assignments(from: "core") + ["_$backingData._adopt(core)"]
        return [
            """
            \(raw: access)init(_$core core: SwiftData._ModelCore) {
                \(raw: body.joined(separator: "\n    "))
            }
            """,
            "\(raw: access)var _$modelCore: SwiftData._ModelCore { _$core }",
        ]
    }

    private var initializer: DeclSyntax {
        let last = isSubclass ? "super.init(backingData: backingData)" : "self.persistentBackingData = backingData"
        let body = assignments(from: "backingData._core") + [last]
        return """
            \(raw: access)\(raw: isFinal && !isSubclass ? "" : "required ")init(backingData: any SwiftData.BackingData<\(name)\(raw: isSubclass ? ".Root" : "")>) {
                \(raw: body.joined(separator: "\n    "))
            }
            """
    }

    private var observation: [DeclSyntax] {
        [
            """
            internal nonisolated func access<_M>(
                keyPath: KeyPath<\(name), _M>
            ) {
                _$observationRegistrar.access(self, keyPath: keyPath)
            }
            """,
            """
            internal nonisolated func withMutation<_M, _MR>(
                keyPath: KeyPath<\(name), _M>,
                _ mutation: () throws -> _MR
            ) rethrows -> _MR {
                try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
            }
            """,
        ]
    }

    // MARK: Metadata

    private var metadata: [CodeLine] {
        macros("Index") + macros("Unique")
            + lines { property in
                "SwiftData.Schema.PropertyMetadata(name: \"\(property.plainName)\", "
                    + "keypath: \\\(name.text).\(property.name.text), defaultValue: \(defaultValue(of: property)), "
                    + "metadata: \(metadata(of: property)))"
            }
    }

    private func defaultValue(of property: StoredProperty) -> String {
        guard let initializer = property.initializer, !initializer.is(NilLiteralExprSyntax.self) else { return "nil" }
        if initializer.is(IfExprSyntax.self) || initializer.is(SwitchExprSyntax.self) {
            // Such an expression cannot be an argument or operand.
            let signature = property.type.map { "() -> \($0.castable) in " } ?? ""
            return "{ \(signature)\(initializer.description) }()"
        }
        guard let type = property.type else { return initializer.description }
        return "(\(initializer.description)) as \(type.castable)"
    }

    private func metadata(of property: StoredProperty) -> String {
        if let relationship = property.attribute("Relationship") {
            return
                "SwiftData.Schema.Relationship(\(arguments(relationship)))\(isOneWay(relationship) ? "._oneWay" : "")"
        }
        if let attribute = property.attribute("Attribute") {
            return "SwiftData.Schema.Attribute(\(arguments(attribute)))"
        }
        return "nil"
    }

    /// Whether the argument `inverse: nil` is written, which the relationship cannot tell from an omitted one.
    private func isOneWay(_ relationship: AttributeSyntax) -> Bool {
        guard case .argumentList(let list)? = relationship.arguments else { return false }
        return list.contains { $0.label?.text == "inverse" && $0.expression.is(NilLiteralExprSyntax.self) }
    }

    private func arguments(_ attribute: AttributeSyntax) -> String {
        guard case .argumentList(let list)? = attribute.arguments else { return "" }
        return list.trimmedDescription
    }

    /// The constraints or indexes of the class's `#Unique` or `#Index` declarations.
    private func macros(_ macro: String) -> [CodeLine] {
        declaration.memberBlock.members.lines { item in
            guard let expansion = item.decl.as(MacroExpansionDeclSyntax.self), expansion.macroName.text == macro else {
                return []
            }
            let generic = expansion.genericArgumentClause?.trimmedDescription ?? "<\(name.text)>"
            return [
                "SwiftData.Schema.PropertyMetadata(name: \"SwiftData.Schema.\(macro)\", "
                    + "keypath: \\SwiftData.Schema.encodingVersion, defaultValue: nil, "
                    + "metadata: SwiftData.Schema.\(macro)\(generic)(\(expansion.arguments.trimmedDescription)))"
            ]
        }
    }

    // MARK: Diagnostics

    func check(at node: AttributeSyntax, in context: some MacroExpansionContext) {
        let members = declaration.memberBlock.members
        let initializers = members.lines { $0.decl.is(InitializerDeclSyntax.self) ? ["init"] : [] }
        if initializers.isEmpty, !isSubclass { context.report(.missingInitializer(declaration), at: node) }
    }
}
#endif
