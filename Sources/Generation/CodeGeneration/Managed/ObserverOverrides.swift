internal import SwiftSources

/// The overrides of `observeValue(forKeyPath:of:change:context:)`, which Foundation on Linux does not declare.
///
/// In a copy, the method is that of the protocol `KeyValueObserver`.
struct ObserverOverrides {
    let target: TargetSources

    /// A class with such an override.
    struct Observer {
        var member: SwiftFile.Override
        var type: SwiftFile.TypeDeclaration
    }

    /// Returns the classes of a source whose override becomes a method of the protocol: those without a superclass that
    /// has the method.
    func observers(in source: ManagedSource) -> [Observer] {
        source.file.overrides.compactMap { member in
            guard Self.isObserver(member), !member.context.isExtension, !member.context.isLocal,
                let type = source.file.types.first(where: {
                    $0.kind == .class && $0.path == member.context.path && $0.contains(member.nameRange)
                }),
                // The extension that declares the conformance has to see the class.
                type.path.count == 1 || !type.isPrivate, hasNoSuperclassMembers(type)
            else { return nil }
            return Observer(member: member, type: type)
        }
    }

    private static func isObserver(_ member: SwiftFile.Override) -> Bool {
        member.kind == .function && member.name == "observeValue" && member.parameters.first?.label == "forKeyPath"
    }

    /// Returns whether no superclass has the method on Linux.
    private func hasNoSuperclassMembers(_ type: SwiftFile.TypeDeclaration) -> Bool {
        var type = type
        for _ in 0..<32 {
            guard !target.isManaged(type.path), case .named(let names)? = type.inherited.first,
                names.last.map(\.name) != "NSManagedObjectContext"
            else { return false }
            guard let superclass = target.declaration(names.map(\.name))?.type, superclass.kind == .class else {
                return true
            }
            let inherited = target.sources.lazy.flatMap(\.file.overrides).contains {
                Self.isObserver($0) && $0.context.path == superclass.path
            }
            if inherited { return false }
            type = superclass
        }
        return false
    }
}
