internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import SwiftDataModel

/// A version of a SwiftData schema, as the linter needs it.
struct SwiftLintSource: LintedSource {
    private let version: SwiftDataVersion
    /// The model, with the suppressions in comments as `userInfo` entries.
    let model: Model
    let path: String
    private let locations: [SourceLocation]

    init(_ version: SwiftDataVersion, path: String, comments: SuppressionComments) {
        self.version = version
        self.path = path
        var (model, locations) = (version.model, version.locations)
        comments.apply(to: &model, &locations)
        self.model = model
        self.locations = locations
    }

    /// None: an unreadable version has no model, see `LintedModel.problems`.
    var diagnostics: [Diagnostic] { [] }
    var isIncomplete: Bool { false }
    var isSwiftData: Bool { true }

    var findings: [(rule: RuleID, finding: RuleFinding)] {
        version.findings.map { finding in
            var result = RuleFinding(finding.message, at: finding.origin, why: finding.why, help: finding.help)
            result.related = finding.related.map { ($0.message, $0.origin, nil) }
            return (finding.rule, result)
        }
    }

    func findings(at level: ModelLevel) -> [ModelFinding] { model.findings(at: level) }

    func location(of origin: ElementOrigin?, attribute: String?) -> (file: String, range: SourceRange?) {
        guard let origin, locations.indices.contains(origin.index) else { return (path, nil) }
        return (locations[origin.index].file, locations[origin.index].range)
    }

    func edit(_ attribute: String, to value: String?, of origin: ElementOrigin?) -> FixIt.Edit? { nil }
}

/// The comments `// modelc:ignore RULE` in Swift sources, which suppress findings.
///
/// A comment applies to the declaration on its line. On a separate line, it applies to the next declaration after any
/// other comments and attributes.
struct SuppressionComments {
    private static let mark = "modelc:ignore"
    /// The rules in the comments and the comments' locations, by file and line of the declaration.
    private var comments: [String: [Int: [(rules: String, location: SourceLocation)]]] = [:]

    init(_ files: [SwiftSourceFile]) {
        let mark = Array(Self.mark.utf8)
        for file in files where !file.bytes.ranges(of: mark).isEmpty { read(file) }
    }

    private mutating func read(_ file: SwiftSourceFile) {
        let lines = String(decoding: file.bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard let comment = line.firstRange(of: "//"),
                let mark = line[comment.upperBound...].firstRange(of: Self.mark)
            else { continue }
            let rules = line[mark.upperBound...].drop { $0 == ":" || $0 == " " }
            var target = index
            if Self.isCommentLine(line) {
                target += 1
                while target < lines.count, Self.isCommentLine(lines[target]) { target += 1 }
            }
            let column = line.utf8.distance(from: line.startIndex, to: comment.lowerBound) + 1
            let range = SourceRange(
                start: SourcePosition(line: index + 1, column: column),
                end: SourcePosition(line: index + 1, column: line.utf8.count + 1))
            comments[file.path, default: [:]][target + 1, default: []].append(
                (rules.isEmpty ? "all" : String(rules), SourceLocation(file: file.path, range: range)))
        }
    }

    /// Returns whether a line holds no declaration, but a comment or only an attribute.
    private static func isCommentLine(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " || $0 == "\t" }
        if text.hasPrefix("//") { return true }
        guard text.hasPrefix("@") else { return false }
        return !["var ", "let ", "class ", "struct ", "enum "].contains { text.contains($0) }
    }

    /// Adds the rules to the `userInfo` of the elements that the comments apply to.
    func apply(to model: inout Model, _ locations: inout [SourceLocation]) {
        guard !comments.isEmpty else { return }
        for index in model.entities.indices {
            let entity = model.entities[index]
            model.entities[index].userInfo += entries(entity.origin, &locations)
            for position in entity.attributes.indices {
                model.entities[index].attributes[position].userInfo += entries(
                    entity.attributes[position].origin, &locations)
            }
            for position in entity.relationships.indices {
                model.entities[index].relationships[position].userInfo += entries(
                    entity.relationships[position].origin, &locations)
            }
        }
    }

    private func entries(_ origin: ElementOrigin?, _ locations: inout [SourceLocation]) -> [UserInfoEntry] {
        guard let origin, locations.indices.contains(origin.index) else { return [] }
        let declaration = locations[origin.index]
        return (comments[declaration.file]?[declaration.range.start.line] ?? []).map { rules, location in
            locations.append(location)
            return UserInfoEntry(
                key: "modelc.ignore", value: rules, origin: ElementOrigin(index: locations.count - 1))
        }
    }

    /// Returns whether a comment hides a finding at a declaration outside the model, such as a structure.
    func hides(_ diagnostic: Diagnostic) -> Bool {
        guard let file = diagnostic.file, let line = diagnostic.range?.start.line else { return false }
        return (comments[file]?[line] ?? []).contains { rules, _ in
            rules.split { ", \t".contains($0) }.contains { word in
                word == "all" || RuleRegistry.description(named: String(word))?.id == diagnostic.rule
            }
        }
    }
}

extension ModelSet.Version {
    /// The version, as the linter needs it; `nil` if it was read from neither an XML file nor Swift sources.
    var lintedSource: (any LintedSource)? {
        if let document { return document }
        return swiftData.map { SwiftLintSource($0, path: path, comments: SuppressionComments([])) }
    }
}
