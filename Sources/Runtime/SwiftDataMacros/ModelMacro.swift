#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: the members and conformances of a model class (Documentation/Guides/SwiftDataOnLinux.md).
struct ModelMacro {
    /// Whether the superclass is a model, which has all conformances already. A class may also have them because its
    /// declaration names them.
    private static func isSubclass(_ declaration: some DeclGroupSyntax, _ protocols: [TypeSyntax]) -> Bool {
        guard protocols.isEmpty, let inherited = declaration.inheritanceClause?.inheritedTypes else { return false }
        return !inherited.contains { names(of: $0.type).contains { ["Sendable", "PersistentModel"].contains($0) } }
    }

    /// Returns the names in a type without attributes, such as `@unchecked`, and modules.
    private static func names(of type: TypeSyntax) -> [String] {
        if let attributed = type.as(AttributedTypeSyntax.self) { return names(of: attributed.baseType) }
        if let composition = type.as(CompositionTypeSyntax.self) {
            return composition.elements.flatMap { names(of: $0.type) }
        }
        if let member = type.as(MemberTypeSyntax.self) { return [member.name.text] }
        return [type.as(IdentifierTypeSyntax.self)?.name.text ?? ""]
    }
}

extension ModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = ModelClass(declaration, isSubclass: isSubclass(declaration, protocols)) else {
            context.report(.notAClass(declaration), at: node)
            return []
        }
        model.check(at: node, in: context)
        return model.members
    }
}

extension ModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self) else { return [] }
        let properties = StoredProperty.all(in: variable)
        for property in properties where !property.isTransient && property.plainName == "description" {
            context.report(.namedDescription, at: property.declaration)
        }
        for property in properties where property.attribute("Transient") != nil {
            guard property.initializer == nil, !property.isOptional else { continue }
            context.report(.transientWithoutDefault(property), at: property.declaration)
        }
        guard let property = properties.first, !property.isTransient, !property.isLet,
            property.attribute("_PersistedProperty") == nil,
            let number = ModelClass(declaration, isSubclass: false)?.number(of: property)
        else { return [] }
        return ["@_PersistedProperty(\(raw: number))"]
    }
}

extension ModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else { return [] }
        var extensions: [DeclSyntax] = []
        for name in protocols.map({ $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" }) {
            switch name {
            case "PersistentModel":
                extensions.append("nonisolated extension \(type.trimmed): SwiftData.PersistentModel {}")
            case "Observable": extensions.append("nonisolated extension \(type.trimmed): Observation.Observable {}")
            case "Sendable":
                extensions.append(
                    """
                    @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(type.trimmed)'s persistentModelID instead.")
                    extension \(type.trimmed): Sendable {}
                    """)
            default: break
            }
        }
        return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
    }
}
#endif
