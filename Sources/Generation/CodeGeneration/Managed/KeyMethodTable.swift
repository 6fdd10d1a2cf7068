internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// A table, for the runtime on Linux, of the members of managed classes that Apple's runtime finds by name:
/// `validate<Key>`, `keyPathsForValuesAffecting<Key>`, and classes with a different name in Objective-C.
struct KeyMethodTable {
    private let target: TargetSources
    private var validators: [String] = []
    private var dependencies: [String] = []
    private var names: [String] = []
    /// The findings about members that are not called.
    private(set) var diagnostics: [Diagnostic] = []

    init(target: TargetSources) {
        self.target = target
        for source in target.sources where !source.isExcluded || target.isCopied(source) {
            for method in source.file.keyMethods where isManaged(method.context, source) { add(method, source) }
            names += source.file.types.filter { target.isManaged($0.path) }.compactMap(RuntimeTable.nameEntry)
        }
    }

    var isEmpty: Bool { validators.isEmpty && dependencies.isEmpty && names.isEmpty }

    private func isManaged(_ context: SwiftFile.Context, _ source: ManagedSource) -> Bool {
        if context.isLocal {
            return source.file.types.contains { $0.isLocal && $0.path == context.path && TargetSources.isManaged($0) }
        }
        return target.isManaged(context.path)
    }

    private mutating func add(_ method: SwiftFile.KeyMethod, _ source: ManagedSource) {
        // A call of the superclass's member calls the override.
        guard !method.isOverride else { return }
        switch method.kind {
        // Only migration policies have these: see `MigrationPolicyTable`.
        case .exposed: break
        case .validation:
            // Other functions may have such names, for example `validateFields()`.
            guard let pointee = Self.pointee(of: method), !method.isStatic else { return }
            guard method.effects == ["throws"], method.parameters.count == 1, pointee == "AnyObject",
                method.parameters[0].label == nil || method.isObjectiveC
            else { return report(method, source: source, why: "Core Data calls such a method with other parameters.") }
            guard let type = name(of: method, source) else { return }
            let label = RuntimeTable.label(method.parameters[0].label)
            validators.append(
                """
                (\(type).self, "\(method.key)", { object, value in
                    try unsafeDowncast(object, to: \(type).self).\(SwiftIdentifier.declared(method.name))(\(label)value)
                })
                """)
        case .dependency:
            guard method.isStatic, method.parameters.isEmpty, method.effects.isEmpty else {
                return report(method, source: source, why: "It is not a member of the class without parameters.")
            }
            guard let type = name(of: method, source) else { return }
            dependencies.append(
                "(\(type).self, \"\(method.key)\", { \(type).\(method.name)\(method.isProperty ? "" : "()") })")
        }
    }

    /// Returns the pointee type of the pointer that is the only parameter, without the question mark; `nil` for other
    /// parameters.
    private static func pointee(of method: SwiftFile.KeyMethod) -> String? {
        guard let type = method.parameters.first?.type?.unwrapped, case .named(let names) = type,
            let last = names.last,
            ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(last.name),
            case .optional(let pointee)? = last.arguments.first
        else { return nil }
        return pointee.lastName ?? ""
    }

    /// Returns the name of the class in the generated file, unless the member is inaccessible there.
    private mutating func name(of method: SwiftFile.KeyMethod, _ source: ManagedSource) -> String? {
        if let obstacle = RuntimeTable.obstacle(to: method, in: target) {
            report(method, source: source, why: obstacle)
            return nil
        }
        return RuntimeTable.typeName(method.context.path)
    }

    private mutating func report(_ method: SwiftFile.KeyMethod, source: ManagedSource, why: String) {
        diagnostics.append(
            source.diagnostic(
                .warning, rule: .uncalledKeyMethod, message: "“\(method.name)” is not called on Linux",
                at: method.nameRange, why: why,
                help: method.kind == .validation
                    ? "Declare it as func \(method.name)(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws."
                    : "Override keyPathsForValuesAffectingValue(forKey:)."))
    }

    // MARK: Writing

    /// The table, or an empty string if no class has such members.
    var text: String {
        RuntimeTable(
            superclass: "ManagedKeyMethods", summary: "What the runtime finds by name.",
            lists: [
                ("validators: [Validator]", validators), ("dependencies: [Dependency]", dependencies),
                ("classNames: [String: NSManagedObject.Type]", names),
            ]
        ).text
    }
}
