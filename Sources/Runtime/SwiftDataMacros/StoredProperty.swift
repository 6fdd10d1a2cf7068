#if SwiftData
import SwiftSyntax

/// A stored property of a class with `@Model`.
struct StoredProperty {
    let declaration: VariableDeclSyntax
    let name: TokenSyntax
    let type: TypeSyntax?
    let initializer: ExprSyntax?
    let isLet: Bool

    /// The stored properties of a member, without those that are static or computed.
    static func all(in member: MemberBlockItemSyntax) -> [StoredProperty] {
        guard let variable = member.decl.as(VariableDeclSyntax.self) else { return [] }
        return all(in: variable)
    }

    static func all(in variable: VariableDeclSyntax) -> [StoredProperty] {
        let isStatic = variable.modifiers.contains { ["static", "class", "lazy"].contains($0.name.text) }
        guard !isStatic else { return [] }
        // In `var a, b: Int`, the annotation belongs to both names.
        var annotation: TypeSyntax?
        var found: [StoredProperty] = []
        for binding in variable.bindings.reversed() {
            if let type = binding.typeAnnotation?.type { annotation = type }
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self), isStored(binding) else { continue }
            found.append(
                StoredProperty(
                    declaration: variable, name: pattern.identifier.trimmed, type: annotation?.trimmed,
                    initializer: binding.initializer?.value.trimmed,
                    isLet: variable.bindingSpecifier.tokenKind == .keyword(.let)))
            if binding.initializer != nil { annotation = nil }
        }
        return found.reversed()
    }

    private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// The name without backticks.
    var plainName: String { name.text.filter { $0 != "`" } }

    func attribute(_ name: String) -> AttributeSyntax? { declaration.attributes.attribute(name) }

    var isTransient: Bool { attribute("Transient") != nil || plainName.hasPrefix("_$") }

    /// Whether the property can be `nil`, according to its annotation or initial value.
    var isOptional: Bool {
        guard let type else { return initializer?.is(NilLiteralExprSyntax.self) ?? false }
        return type.isOptional
    }
}

extension AttributeListSyntax {
    /// Returns the attribute with a name, with or without its module.
    func attribute(_ name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self {
            let written = attribute.attributeName.trimmedDescription
            if written == name || written == "SwiftData." + name { return attribute }
        }
        return nil
    }
}

extension TypeSyntax {
    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
        let name = self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
        return name == "Optional"
    }

    /// The type as it can be written in a cast.
    var castable: String {
        if let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return implicit.wrappedType.trimmedDescription + "?"
        }
        return trimmedDescription
    }
}
#endif
