internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// A table, for the runtime on Linux, of the `@objc` methods of migration policies, which expressions of mapping models
/// call by their selectors.
struct MigrationPolicyTable {
    private let target: TargetSources
    private var methods: [String] = []
    private var names: [String] = []
    /// The findings about methods that are not called.
    private(set) var diagnostics: [Diagnostic] = []

    init(target: TargetSources) {
        self.target = target
        for source in target.sources where !source.isExcluded || target.isCopied(source) {
            for method in source.file.keyMethods where method.kind == .exposed && !method.isProperty {
                if target.isMigrationPolicy(method.context.path) { add(method, source) }
            }
            names += source.file.types.filter { target.isMigrationPolicy($0.path) }.compactMap(RuntimeTable.nameEntry)
        }
    }

    var isEmpty: Bool { methods.isEmpty && names.isEmpty }

    private mutating func add(_ method: SwiftFile.KeyMethod, _ source: ManagedSource) {
        if let obstacle = RuntimeTable.obstacle(to: method, in: target) {
            report(method, source: source, why: obstacle)
        } else if method.isStatic || method.effects.contains("async") {
            report(method, source: source, why: "It is not a synchronous method of an instance.")
        } else {
            methods.append(entry(method, RuntimeTable.typeName(method.context.path)))
        }
    }

    private func entry(_ method: SwiftFile.KeyMethod, _ type: String) -> String {
        let arguments = method.parameters.enumerated().map { index, parameter in
            return "\(RuntimeTable.label(parameter.label))MigrationPolicyMethods.argument(arguments, \(index))"
        }
        let throwing = arguments.isEmpty && !method.effects.contains("throws") ? "" : "try "
        let call = "\(SwiftIdentifier.declared(method.name))(\(arguments.joined(separator: ", ")))"
        return """
            (\(type).self, "\(Self.selector(of: method))", { policy, arguments in
                \(throwing)unsafeDowncast(policy, to: \(type).self).\(call)
            })
            """
    }

    private mutating func report(_ method: SwiftFile.KeyMethod, source: ManagedSource, why: String) {
        diagnostics.append(
            source.diagnostic(
                .warning, rule: .uncalledKeyMethod, message: "“\(method.name)” is not called on Linux",
                at: method.nameRange, why: why,
                help: "Override call(selector:arguments:) in the migration policy."))
    }

    // MARK: Selectors

    /// The words before which Swift does not add “With” to the first label.
    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given", "in",
        "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until", "using",
        "via", "when",
        "with", "within",
    ]

    /// Returns the selector of a method: the one in `@objc(…)`, or else the compiler's, from the name and the labels.
    /// The suffix of a throwing method is left out, because expressions pass no error.
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
        RuntimeTable(
            superclass: "MigrationPolicyMethods",
            summary: "The methods that expressions of mapping models call by their selectors.",
            lists: [
                ("methods: [Method]", methods),
                ("classNames: [String: NSEntityMigrationPolicy.Type]", names),
            ]
        ).text
    }
}
