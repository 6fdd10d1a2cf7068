/// The three-way merge of the XML attributes of an element.
struct AttributeMerge {
    typealias Attributes = [XMLNode.Attribute]

    /// Attributes that are merged as a unit: merging one side's type with the other's default could make the default
    /// invalid.
    private static let decisions: [String: [Set<String>]] = [
        "attribute": [
            [
                "attributeType", "defaultValueString", "defaultDateTimeInterval", "minValueString", "maxValueString",
                "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString", "usesScalarValueType",
                "valueTransformerName", "customClassName", "derived", "derivationExpression", "composite",
                "allowsExternalBinaryDataStorage", "transient",
            ]
        ],
        "relationship": [
            ["destinationEntity", "inverseName", "inverseEntity"], ["toMany", "minCount", "maxCount", "ordered"],
        ],
        "fetchRequest": [["entity", "predicateString"]],
    ]

    /// The merged attributes, in our order, followed by those that they added.
    private(set) var merged: Attributes = []
    /// The attributes of the other side if there is a conflict; otherwise `nil`.
    private(set) var theirsInConflict: Attributes?

    /// Merges the attributes of an element.
    ///
    /// - Parameter base: `nil` if both sides added the element.
    init(kind: String, base: Attributes?, ours: Attributes, theirs: Attributes) {
        let base = base.map(Self.values)
        let (our, their) = (Self.values(ours), Self.values(theirs))
        var names = ours.map(\.name)
        names += theirs.map(\.name).filter { our[$0] == nil }
        var chosen: [String: String] = [:]
        var rejected: [String: String] = [:]
        var isOpen = false
        // Two new elements with the same name are merged as a unit: a mixture is never intended.
        for decision in base == nil ? [names] : Self.groups(names + Self.names(of: base), kind) {
            let (o, t) = (decision.map { our[$0] }, decision.map { their[$0] })
            let b = decision.map { base?[$0] }
            let isConflict = o != t && o != b && t != b
            let takesOurs = o == t || t == b || isConflict
            isOpen = isOpen || isConflict
            for (name, (one, other)) in zip(decision, zip(o, t)) {
                chosen[name] = takesOurs ? one : other
                rejected[name] = isConflict || !takesOurs ? other : one
            }
        }
        if kind == "model", Self.takeNewerTools(our, their: their, chosen: &chosen, rejected: &rejected) {
            isOpen = names.contains { chosen[$0] != rejected[$0] }
        }
        merged = Self.attributes(names, values: chosen, sources: ours + theirs)
        if kind == MergeKey.canvasBox { return }
        if isOpen { theirsInConflict = Self.attributes(names, values: rejected, sources: theirs + ours) }
    }

    /// The version of Xcode that saved the file is not a deliberate change, so the newer version wins. Returns whether
    /// the attribute was merged.
    private static func takeNewerTools(
        _ our: [String: String], their: [String: String], chosen: inout [String: String],
        rejected: inout [String: String]
    ) -> Bool {
        let key = "lastSavedToolsVersion"
        guard let one = our[key], let other = their[key] else { return false }
        let numbers = { (text: String) in text.split(separator: ".").map { Int($0) ?? 0 } }
        let source = numbers(one).lexicographicallyPrecedes(numbers(other)) ? their : our
        for name in [key, "systemVersion"] {
            chosen[name] = source[name]
            rejected[name] = source[name]
        }
        return true
    }

    private static func values(_ attributes: Attributes) -> [String: String] {
        Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private static func names(of values: [String: String]?) -> [String] { values?.keys.sorted() ?? [] }

    private static func groups(_ names: [String], _ kind: String) -> [[String]] {
        var seen: Set<String> = []
        var groups: [[String]] = []
        for name in names where !seen.contains(name) {
            let group = decisions[kind]?.first { $0.contains(name) }.map { $0.sorted() } ?? [name]
            seen.formUnion(group)
            groups.append(group)
        }
        return groups
    }

    private static func attributes(_ names: [String], values: [String: String], sources: Attributes) -> Attributes {
        names.compactMap { name in
            values[name].map { value in
                XMLNode.Attribute(
                    name: name, value: value,
                    hasPlainGreaterThan: sources.contains { $0.name == name && $0.hasPlainGreaterThan })
            }
        }
    }
}
