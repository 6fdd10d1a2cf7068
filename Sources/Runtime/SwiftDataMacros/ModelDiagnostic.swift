#if SwiftData
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What a macro rejects, in the words of Apple's compiler plugin.
struct ModelDiagnostic: DiagnosticMessage {
    let message: String
    let diagnosticID: MessageID
    var severity: DiagnosticSeverity { .error }
    /// A replacement that makes the source valid.
    var fix: (message: String, change: FixIt.Change)?

    init(_ id: String, _ message: String, fix: (message: String, change: FixIt.Change)? = nil) {
        diagnosticID = MessageID(domain: "SwiftData", id: id)
        self.message = message
        self.fix = fix
    }

    private static func description(_ group: some DeclGroupSyntax) -> String {
        if let type = group.as(StructDeclSyntax.self) { return "struct type '\(type.name.text)'" }
        if let type = group.as(EnumDeclSyntax.self) { return "enumeration type '\(type.name.text)'" }
        if let type = group.as(ActorDeclSyntax.self) { return "actor type '\(type.name.text)'" }
        if let type = group.as(ClassDeclSyntax.self) { return "class type '\(type.name.text)'" }
        return "this declaration"
    }

    static func notAClass(_ group: some DeclGroupSyntax) -> ModelDiagnostic {
        var fix: (message: String, change: FixIt.Change)?
        if let type = group.as(StructDeclSyntax.self) {
            let keyword = type.structKeyword
            fix = (
                "use 'class' instead",
                .replace(oldNode: Syntax(keyword), newNode: Syntax(keyword.with(\.tokenKind, .keyword(.class))))
            )
        }
        return ModelDiagnostic("notAClass", "'@Model' cannot be applied to \(description(group))", fix: fix)
    }

    static func notAnActor(_ group: some DeclGroupSyntax) -> ModelDiagnostic {
        ModelDiagnostic("notAnActor", "'@ModelActor' cannot be applied to \(description(group))")
    }

    static func missingInitializer(_ type: ClassDeclSyntax) -> ModelDiagnostic {
        let new = Array(type.memberBlock.members) + [MemberBlockItemSyntax(decl: "\n    init() {}\n" as DeclSyntax)]
        return ModelDiagnostic(
            "missingInitializer", "@Model requires an initializer be provided for '\(type.name.text)'",
            fix: (
                "add an initializer",
                .replace(
                    oldNode: Syntax(type.memberBlock.members), newNode: Syntax(MemberBlockItemListSyntax(new)))
            ))
    }

    static func transientWithoutDefault(_ property: StoredProperty) -> ModelDiagnostic {
        ModelDiagnostic(
            "transientWithoutDefault",
            "@Transient requires non-optional property '\(property.plainName)' to have a default value")
    }

    /// A persistent property whose name hides the description that the framework reads.
    static let namedDescription = ModelDiagnostic(
        "namedDescription", "Unable to have an Attribute named description")
}

/// The text of a fix-it.
private struct FixMessage: FixItMessage {
    let message: String
    let fixItID: MessageID
}

extension MacroExpansionContext {
    func report(_ diagnostic: ModelDiagnostic, at node: some SyntaxProtocol) {
        let fixes = diagnostic.fix.map { fix in
            [FixIt(message: FixMessage(message: fix.message, fixItID: diagnostic.diagnosticID), changes: [fix.change])]
        }
        diagnose(Diagnostic(node: Syntax(node), message: diagnostic, fixIts: fixes ?? []))
    }
}
#endif
