package import Diagnostics
package import ModelSchema

/// The `userInfo` entries `modelc.ignore` of a version, which suppress findings.
///
/// `userInfo` does not affect version hashes (Documentation/Formats/VersionHashes.md, 3), so that a suppression never
/// requires a migration.
package struct Suppressions {
    /// The key of the entry: rules by name or code, separated by commas, or `all`.
    static let key = "modelc.ignore"

    /// One rule in one entry.
    private struct Entry {
        var components: [String]
        /// The rule; `nil` for all.
        var rule: RuleID?
        var origin: ElementOrigin?
        var isUsed = false
    }

    private var entries: [Entry] = []
    private var positions: [[String]: [Int]] = [:]
    private var unknown: [RuleFinding] = []

    /// Reads the entries of a version.
    package init(_ model: Model) {
        for entity in model.entities {
            add(entity.userInfo, [entity.name])
            for attribute in entity.attributes { add(attribute.userInfo, [entity.name, attribute.name]) }
            for relationship in entity.relationships { add(relationship.userInfo, [entity.name, relationship.name]) }
            for fetched in entity.fetchedProperties { add(fetched.userInfo, [entity.name, fetched.name]) }
        }
    }

    private mutating func add(_ userInfo: [UserInfoEntry], _ components: [String]) {
        for info in userInfo where info.key == Self.key {
            for word in info.value.split(whereSeparator: { ", \t\n".contains($0) }).map(String.init) {
                let description = RuleRegistry.description(named: word).flatMap { $0.isConfigurable ? $0 : nil }
                if description == nil, word != "all" {
                    let hint = RuleRegistry.suggestion(for: word).map { "Did you mean “\($0)”?" }
                    unknown.append(
                        RuleFinding(
                            "unknown rule “\(word)”", at: info.origin, attribute: "value",
                            why: "The entry suppresses nothing.", help: hint ?? "“modelc rules” lists the rules."))
                    continue
                }
                positions[components, default: []].append(entries.count)
                entries.append(Entry(components: components, rule: description?.id, origin: info.origin))
            }
        }
    }

    /// Returns whether a finding is hidden by an entry of its element, or of the entity that contains it.
    package mutating func hides(_ rule: RuleID, at components: [String]) -> Bool {
        guard !entries.isEmpty, !components.isEmpty else { return false }
        var isHidden = false
        for length in 1...components.count {
            for position in positions[Array(components.prefix(length))] ?? []
            where entries[position].rule == nil || entries[position].rule == rule {
                entries[position].isUsed = true
                isHidden = true
            }
        }
        return isHidden
    }

    /// Returns the findings about the entries themselves. Call this after everything else has been checked.
    ///
    /// - Parameter appliesTo: Returns whether a rule was checked at all: an entry for another rule may well be needed.
    func findings(appliesTo: (RuleID) -> Bool) -> [RuleFinding] {
        unknown
            + entries.filter { entry in !entry.isUsed && entry.rule.map(appliesTo) ?? true }.map { entry in
                RuleFinding(
                    "“\(entry.rule?.rawValue ?? "all")” is ignored for “\(entry.components.joined(separator: "."))”, "
                        + "where it finds nothing",
                    at: entry.origin, attribute: "value", why: "It would hide a future finding.",
                    help: "Remove it from the entry.")
            }
    }
}
