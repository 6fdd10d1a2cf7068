internal import Diagnostics
internal import ModelSchema

/// Names that differ in case alone.
struct CaseOnlyDifferenceRule: LintRule {
    let description = RuleDescription(
        id: "case-only-difference", code: "MC6005", group: "naming",
        title: "two names differ in upper and lower case alone",
        explanation: """
            Core Data writes the names of tables and columns in capitals, and generated files land on disks that do not tell \
            `Book.swift` from `book.swift`. Two entities, or two properties of one entity, whose names differ in case alone \
            get in each other's way.
            """,
        remedy: "Rename one of them.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        compare(context.entities.map { ($0.name, $0.origin) }, "the entity", report)
        for entity in context.entities {
            let inherited = context.lineage(of: entity).dropFirst().flatMap(\.namedProperties)
            compare(inherited + entity.namedProperties, "the property", within: entity, report)
        }
    }

    private func compare(
        _ names: [(name: String, origin: ElementOrigin?)], _ kind: String, within entity: Entity? = nil,
        _ report: (RuleFinding) -> Void
    ) {
        guard names.count > 1, Self.mayCollide(names.map(\.name)) else { return }
        var seen: [String: (name: String, origin: ElementOrigin?)] = [:]
        let own = entity.map { Set($0.namedProperties.map(\.name)) }
        for candidate in names {
            guard let other = seen.updateValue(candidate, forKey: candidate.name.lowercased()),
                other.name != candidate.name, own?.contains(candidate.name) ?? true
            else { continue }
            let prefix = entity.map { "\($0.name)." } ?? ""
            var finding = RuleFinding(
                "\(kind) “\(prefix)\(candidate.name)” differs from “\(prefix)\(other.name)” in case alone",
                at: candidate.origin, attribute: "name", inspectorField: "Name",
                why: "Tables, columns and file names do not tell them apart.", help: "Rename one of them.")
            finding.related = [("the other one is here", other.origin, "name")]
            report(finding)
        }
    }

    /// Whether two names may be the same but for case. Nearly always they are not, and numbers tell that faster than text.
    private static func mayCollide(_ names: [String]) -> Bool {
        var seen: Set<UInt64> = []
        for name in names {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in name.utf8 {
                guard byte < 0x80 else { return true }
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                hash = (hash ^ UInt64(isUpper ? byte | 0x20 : byte)) &* 0x100_0000_01B3
            }
            guard seen.insert(hash).inserted else { return true }
        }
        return false
    }
}
