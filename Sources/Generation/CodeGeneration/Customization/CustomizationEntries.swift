internal import Diagnostics
internal import ModelSchema

/// The entries of an element's `userInfo` that change generated code.
struct CustomizationEntries {
    private var entries: [CustomizationKey: UserInfoEntry] = [:]

    /// The entry of a key, under any of its names.
    subscript(key: CustomizationKey) -> UserInfoEntry? { entries[key] }

    /// Returns whether the entry of a key exists and means true.
    func isTrue(_ key: CustomizationKey) -> Bool { entries[key].map { CustomizationKey.isTrue($0.value) } ?? false }

    /// Reads the `userInfo` of an element.
    ///
    /// - Parameters:
    ///   - element: What kind of element it is.
    ///   - name: The element's name in findings.
    ///   - findings: Receives unknown and misplaced keys, and names of one key with different values.
    init(
        _ userInfo: [UserInfoEntry], of element: CustomizationKey.Elements, named name: String,
        _ findings: inout [ModelFinding]
    ) {
        for key in CustomizationKey.allCases {
            let found = key.names.compactMap { name in userInfo.last { $0.key == name } }
            guard let first = found.first else { continue }
            if key.elements.isDisjoint(with: element) {
                if let own = key.ownName, first.key == own {
                    findings.append(Self.misplaced(first, key: key, name: name))
                }
                continue
            }
            entries[key] = first
            // Other tools use the same key for documentation.
            if key == .documentation { continue }
            for other in found.dropFirst() where other.value != first.value {
                for (entry, opposite) in [(first, other), (other, first)] {
                    findings.append(Self.contradiction(entry, other: opposite, name: name))
                }
            }
        }
        for entry in userInfo where entry.key.hasPrefix(CustomizationKey.prefix) {
            if !CustomizationKey.ownNames.contains(entry.key) { findings.append(Self.unknown(entry, name)) }
        }
    }

    private static func unknown(_ entry: UserInfoEntry, _ name: String) -> ModelFinding {
        let guess = EditDistance.closest(to: entry.key, among: CustomizationKey.ownNames, limit: 3)
        return ModelFinding(
            .error, rule: .invalidCodeOption, "unknown userInfo key “\(entry.key)” of “\(name)”", at: entry.origin,
            attribute: "key",
            help: guess.map { "Did you mean “\($0)”?" }
                ?? "The keys are \(CustomizationKey.ownNames.joined(separator: ", ")).")
    }

    private static func misplaced(_ entry: UserInfoEntry, key: CustomizationKey, name: String) -> ModelFinding {
        let elements = key.elements == .attribute ? "an attribute" : "an entity"
        return ModelFinding(
            .error, rule: .invalidCodeOption, "“\(entry.key)” has no effect on “\(name)”", at: entry.origin,
            attribute: "key", why: "It is a key of \(elements).", help: "Move it to \(elements), or remove it.")
    }

    private static func contradiction(_ entry: UserInfoEntry, other: UserInfoEntry, name: String) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidCodeOption,
            "“\(entry.key)” of “\(name)” is “\(entry.value)”, “\(other.key)” is “\(other.value)”", at: entry.origin,
            attribute: "value", why: "Both keys mean the same.",
            help: "Remove one of them, or give both the same value.")
    }
}
