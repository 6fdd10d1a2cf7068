#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty`: the accessors of a property whose value the backing data holds.
struct PersistedPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let property = StoredProperty.all(in: variable).first, !property.isLet
        else { return [] }
        let name = property.name
        let storage: TokenSyntax = "_\(raw: property.plainName)"
        guard case .argumentList(let list)? = node.arguments, let number = list.first?.expression else {
            return byKeyPath(name, storage)
        }
        return [
            """
            @storageRestrictions(accesses: _$backingData, initializes: \(storage))
            init(initialValue) {
                _$backingData._make().initialize(\(number), to: initialValue)
                \(storage) = _SwiftDataNoType()
            }
            """,
            """
            get {
                return _$core.get(Self._$base + \(number), of: self, \\.\(name))
            }
            """,
            """
            set {
                _$core.set(Self._$base + \(number), of: self, \\.\(name), to: newValue)
            }
            """,
        ]
    }

    /// The accessors of a property to which `@_PersistedProperty` is attached by hand.
    private static func byKeyPath(_ name: TokenSyntax, _ storage: TokenSyntax) -> [AccessorDeclSyntax] {
        [
            """
            @storageRestrictions(accesses: _$backingData, initializes: \(storage))
            init(initialValue) {
                _$backingData.setValue(forKey: \\.\(name), to: initialValue)
                \(storage) = _SwiftDataNoType()
            }
            """,
            """
            get {
                _$observationRegistrar.access(self, keyPath: \\.\(name))
                return self.getValue(forKey: \\.\(name))
            }
            """,
            """
            set {
                _$observationRegistrar.withMutation(of: self, keyPath: \\.\(name)) {
                    self.setValue(forKey: \\.\(name), to: newValue)
                }
            }
            """,
        ]
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let property = StoredProperty.all(in: variable).first, !property.isLet
        else { return [] }
        return [
            """
            @Transient
            private var _\(raw: property.plainName): _SwiftDataNoType
            """
        ]
    }
}

/// `@Attribute` and `@Relationship`: read by `@Model`.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `@Transient`: read by `@Model`.
struct TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `#Unique` and `#Index`: read by `@Model`.
struct DeclarationMarkerMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
#endif
