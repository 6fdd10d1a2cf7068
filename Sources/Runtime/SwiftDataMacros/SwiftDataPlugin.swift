#if SwiftData
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plugin with the macros of the module `SwiftData`.
@main
struct SwiftDataPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, PersistedPropertyMacro.self, MarkerMacro.self, DeclarationMarkerMacro.self,
        TransientMacro.self, ModelActorMacro.self,
    ]
}
#else
/// A plugin without macros: the package trait `SwiftData` is off.
@main
struct SwiftDataPlugin {
    static func main() {}
}
#endif
