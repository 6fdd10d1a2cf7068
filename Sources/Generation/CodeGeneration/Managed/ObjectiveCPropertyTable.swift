internal import ModelSchema
internal import SwiftSources

/// A table, for the runtime on Linux, of the `@objc` properties of classes, and of the properties named `primitive…`:
/// their names are those of their key paths, and key-value coding reads them.
///
/// Properties that other files cannot refer to are left out without a finding: most code with `@objc` needs no names.
struct ObjectiveCPropertyTable {
    private var properties: [String] = []

    init(target: TargetSources) {
        let sources = target.sources.filter { !$0.isExcluded || target.isCopied($0) }
        // The table needs the module, which the generated file imports if a source does.
        guard sources.contains(where: { $0.file.imports.contains { $0.module == "CoreData" } }) else { return }
        let subclasses = target.subclasses()
        for source in sources {
            for property in source.file.keyMethods where property.kind == .exposed && property.isProperty {
                guard RuntimeTable.obstacle(to: property, in: target) == nil, SwiftIdentifier.isValid(property.key),
                    Self.isClass(property.context.path, target)
                else { continue }
                // A key path with a subclass as its root has another getter.
                let heirs = (subclasses[property.context.path] ?? []).filter { type in
                    RuntimeTable.obstacle(to: property, in: target, of: type.path) == nil
                        && Self.isClass(type.path, target)
                }
                for path in [property.context.path] + heirs.map(\.path) {
                    let name = "\(RuntimeTable.typeName(path)).\(SwiftIdentifier.declared(property.name))"
                    properties.append("(\\\(name), \"\(property.key)\")")
                }
            }
        }
    }

    var isEmpty: Bool { properties.isEmpty }

    /// Returns whether a path names a class of the target that no global actor isolates.
    private static func isClass(_ path: [String], _ target: TargetSources) -> Bool {
        switch target.location(ofClass: path) {
        case .copy(let location), .compiled(let location):
            location.type.kind == .class && location.type.globalActor == nil
        case .generated: true
        case .unknown: false
        }
    }

    /// The table, or an empty string if no class has such properties.
    var text: String {
        RuntimeTable(
            superclass: "ObjectiveCProperties", summary: "The properties that the runtime finds by name.",
            lists: [("properties: [Property]", properties)]
        ).text
    }
}
