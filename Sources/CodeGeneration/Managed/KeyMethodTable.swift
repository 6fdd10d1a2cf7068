internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// The members of managed classes that Apple's runtime finds by their names, written as a table that the runtime on Linux finds:
/// `validate<Key>`, `keyPathsForValuesAffecting<Key>`, and classes whose name in Objective-C is another one.
struct KeyMethodTable {
    private let target: TargetSources
    private var validators: [String] = []
    private var dependencies: [String] = []
    private var names: [String] = []
    /// What is not called.
    private(set) var diagnostics: [Diagnostic] = []

    init(target: TargetSources) {
        self.target = target
        for source in target.sources where !source.isExcluded || target.isCopied(source) {
            for method in source.file.keyMethods where isManaged(method.context, source) { add(method, source) }
            for type in source.file.types where type.kind == .class { addName(of: type) }
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
        // The compiler calls the override when the member of the superclass is called.
        guard !method.isOverride else { return }
        switch method.kind {
        // Only migration policies are asked for these: see `MigrationPolicyTable`.
        case .exposed: break
        case .validation:
            // Other functions may have such names, for example `validateFields()`.
            guard let pointee = Self.pointee(of: method), !method.isStatic else { return }
            guard method.effects == ["throws"], method.parameters.count == 1, pointee == "AnyObject",
                method.parameters[0].label == nil || method.isObjectiveC
            else { return report(method, source, "Core Data calls such a method with other parameters.") }
            guard let type = name(of: method, source) else { return }
            let label = method.parameters[0].label.map { "\(SwiftIdentifier.declared($0)): " } ?? ""
            validators.append(
                """
                (\(type).self, "\(method.key)", { object, value in
                    try unsafeDowncast(object, to: \(type).self).\(SwiftIdentifier.declared(method.name))(\(label)value)
                })
                """)
        case .dependency:
            guard method.isStatic, method.parameters.isEmpty, method.effects.isEmpty else {
                return report(method, source, "It is not a member of the class without parameters.")
            }
            guard let type = name(of: method, source) else { return }
            dependencies.append(
                "(\(type).self, \"\(method.key)\", { \(type).\(method.name)\(method.isProperty ? "" : "()") })")
        }
    }

    /// What the pointer points to that the only parameter is, without the question mark; `nil` for another parameter.
    private static func pointee(of method: SwiftFile.KeyMethod) -> String? {
        guard let type = method.parameters.first?.type?.unwrapped, case .named(let names) = type,
            let last = names.last,
            ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(last.name),
            case .optional(let pointee)? = last.arguments.first
        else { return nil }
        return pointee.lastName ?? ""
    }

    /// The name of the class in the generated file, unless the member cannot be seen from there.
    private mutating func name(of method: SwiftFile.KeyMethod, _ source: ManagedSource) -> String? {
        let context = method.context
        let types = context.path.indices.compactMap { target.declaration(Array(context.path[...$0]))?.type }
        if context.isLocal {
            report(method, source, "Its class is local to a function.")
        } else if ["private", "fileprivate"].contains(method.access) || types.contains(where: \.isPrivate) {
            report(method, source, "It is private, so that other files cannot refer to it.")
        } else if context.isConstrained || types.contains(where: \.isGeneric) {
            report(method, source, "Its class is generic, or the extension has conditions.")
        } else if method.isUncertain {
            report(method, source, "The condition of the #if around it cannot be decided.")
        } else {
            return context.path.map(SwiftIdentifier.declared).joined(separator: ".")
        }
        return nil
    }

    private mutating func report(_ method: SwiftFile.KeyMethod, _ source: ManagedSource, _ why: String) {
        diagnostics.append(
            source.diagnostic(
                .warning, .uncalledKeyMethod, "“\(method.name)” is not called on Linux", at: method.nameRange, why: why,
                help: method.kind == .validation
                    ? "Declare it as func \(method.name)(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws."
                    : "Override keyPathsForValuesAffectingValue(forKey:)."))
    }

    private mutating func addName(of type: SwiftFile.TypeDeclaration) {
        guard let name = type.objectiveCName, name != type.path.last, SwiftIdentifier.isValid(name), !type.isPrivate,
            !type.isLocal, !type.isGeneric, target.isManaged(type.path)
        else { return }
        names.append("\"\(name)\": \(type.path.map(SwiftIdentifier.declared).joined(separator: ".")).self")
    }

    // MARK: Writing

    /// The table, or an empty string if no class has such members.
    var text: String {
        guard !isEmpty else { return "" }
        var text = "/// What the runtime finds by name.\n"
        text += "nonisolated final class _ManagedKeyMethods: ManagedKeyMethods {\n"
        let indent = "\n        "
        func list(_ items: [String]) -> String {
            indent + items.map { $0.split(separator: "\n").joined(separator: indent) }.joined(separator: ",\(indent)")
        }
        if !validators.isEmpty {
            text += "    override class var validators: [Validator] {\n        [\(list(validators))]\n    }\n"
        }
        if !dependencies.isEmpty {
            text += "    override class var dependencies: [Dependency] {\n        [\(list(dependencies))]\n    }\n"
        }
        if !names.isEmpty {
            text +=
                "    override class var classNames: [String: NSManagedObject.Type] {\n        [\(list(names))]\n    }\n"
        }
        return text + "}\n\n"
    }
}
