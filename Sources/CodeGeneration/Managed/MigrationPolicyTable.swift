internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// The `@objc` methods of migration policies, written as a table that the runtime on Linux finds: expressions of mapping models call them
/// by their selectors.
struct MigrationPolicyTable {
    private let target: TargetSources
    private var methods: [String] = []
    private var names: [String] = []
    /// What is not called.
    private(set) var diagnostics: [Diagnostic] = []

    init(target: TargetSources) {
        self.target = target
        for source in target.sources where !source.isExcluded || target.isCopied(source) {
            for method in source.file.keyMethods where method.kind == .exposed {
                if target.isMigrationPolicy(method.context.path) { add(method, source) }
            }
            for type in source.file.types where type.kind == .class { addName(of: type) }
        }
    }

    var isEmpty: Bool { methods.isEmpty && names.isEmpty }

    private mutating func add(_ method: SwiftFile.KeyMethod, _ source: ManagedSource) {
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
        } else if method.isStatic || method.effects.contains("async") {
            report(method, source, "It is not a synchronous method of an instance.")
        } else {
            methods.append(entry(method, context.path.map(SwiftIdentifier.declared).joined(separator: ".")))
        }
    }

    private func entry(_ method: SwiftFile.KeyMethod, _ type: String) -> String {
        let arguments = method.parameters.enumerated().map { index, parameter in
            let label = parameter.label.map { "\(SwiftIdentifier.declared($0)): " } ?? ""
            return "\(label)MigrationPolicyMethods.argument(arguments, \(index))"
        }
        let throwing = arguments.isEmpty && !method.effects.contains("throws") ? "" : "try "
        let call = "\(SwiftIdentifier.declared(method.name))(\(arguments.joined(separator: ", ")))"
        return """
            (\(type).self, "\(Self.selector(of: method))", { policy, arguments in
                \(throwing)unsafeDowncast(policy, to: \(type).self).\(call)
            })
            """
    }

    private mutating func report(_ method: SwiftFile.KeyMethod, _ source: ManagedSource, _ why: String) {
        diagnostics.append(
            source.diagnostic(
                .warning, .uncalledKeyMethod, "“\(method.name)” is not called on Linux", at: method.nameRange, why: why,
                help: "Override call(selector:arguments:) in the migration policy."))
    }

    private mutating func addName(of type: SwiftFile.TypeDeclaration) {
        guard let name = type.objectiveCName, name != type.path.last, SwiftIdentifier.isValid(name), !type.isPrivate,
            !type.isLocal, !type.isGeneric, target.isMigrationPolicy(type.path)
        else { return }
        names.append("\"\(name)\": \(type.path.map(SwiftIdentifier.declared).joined(separator: ".")).self")
    }

    // MARK: Selectors

    /// The words after which Swift adds no “With” to the first label.
    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given", "in",
        "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until", "using",
        "via", "when",
        "with", "within",
    ]

    /// The selector of a method: what `@objc` names, or else what the compiler makes of the name and the labels. The suffix of a
    /// throwing method is left out, because expressions pass no error.
    static func selector(of method: SwiftFile.KeyMethod) -> String {
        if !method.key.isEmpty { return method.key }
        guard let first = method.parameters.first else { return method.name }
        var selector = method.name
        if let label = first.label {
            let word = String(label.prefix { !$0.isUppercase })
            selector += (prepositions.contains(word) ? "" : "With") + label.prefix(1).uppercased() + label.dropFirst()
        }
        return selector + ":" + method.parameters.dropFirst().map { "\($0.label ?? ""):" }.joined()
    }

    // MARK: Writing

    /// The table, or an empty string if no policy has such members.
    var text: String {
        guard !isEmpty else { return "" }
        let indent = "\n        "
        func list(_ items: [String]) -> String {
            indent + items.map { $0.split(separator: "\n").joined(separator: indent) }.joined(separator: ",\(indent)")
        }
        var text = "/// The methods that expressions of mapping models call by their selectors.\n"
        text += "nonisolated final class _MigrationPolicyMethods: MigrationPolicyMethods {\n"
        if !methods.isEmpty {
            text += "    override class var methods: [Method] {\n        [\(list(methods))]\n    }\n"
        }
        if !names.isEmpty {
            text +=
                "    override class var classNames: [String: NSEntityMigrationPolicy.Type] {\n        [\(list(names))]\n    }\n"
        }
        return text + "}\n\n"
    }
}
