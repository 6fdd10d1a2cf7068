import Diagnostics
import ModelLint
import ModelSource
import Testing

/// Each rule: its findings and their ranges, clean models, suppressions and fixes.
@Suite struct RuleTests {
    private static let cases =
        RelationshipCases.all + AttributeCases.all + IndexCases.all + EntityCases.all + NamingCases.all
        + FetchingCases.all + StructureCases.all + CloudKitCases.all + SourceCases.all
        + CompilerCases.all

    @Test(arguments: cases)
    func everyRuleFindsItsExample(_ rule: RuleCase) throws {
        let outcome = try rule.lint(rule.finding)
        #expect(!outcome.marks.isEmpty)
        #expect(outcome.diagnostics.compactMap(\.range) == outcome.marks)
        #expect(outcome.diagnostics.allSatisfy { $0.rule == rule.rule })
        #expect(outcome.diagnostics.first?.message.contains(rule.message) == true, "\(outcome.diagnostics)")
        for diagnostic in outcome.diagnostics {
            #expect(diagnostic.help != nil)
            #expect(diagnostic.element?.model == "Model")
        }
    }

    @Test(arguments: cases)
    func everyRuleAcceptsItsCleanExample(_ rule: RuleCase) throws {
        #expect(try rule.lint(rule.clean, isFinding: false).diagnostics == [])
    }

    @Test(arguments: cases.filter { $0.finding.contains("⟦⟧") })
    func everyFindingCanBeSuppressed(_ rule: RuleCase) throws {
        let count = try rule.lint(rule.finding).diagnostics.count
        func userInfo(_ value: String) -> String {
            "<userInfo><entry key=\"modelc.ignore\" value=\"\(value)\"/></userInfo>"
        }
        let hidden = try rule.lint(rule.finding, userInfo: userInfo(rule.rule.rawValue))
        #expect(hidden.diagnostics == [])
        #expect(hidden.hidden == count)
        let code = try #require(RuleRegistry.description(of: rule.rule)).code
        #expect(try rule.lint(rule.finding, userInfo: userInfo(code)).diagnostics == [])
        #expect(try rule.lint(rule.finding, userInfo: userInfo("all")).diagnostics == [])
        let other = try rule.lint(rule.finding, userInfo: userInfo("unknown-type")).diagnostics
        #expect(other.filter { $0.rule == rule.rule }.count == count)
        // In a model without the finding, the entry itself is a finding.
        if rule.clean.contains("⟦⟧") {
            #expect(
                try rule.lint(rule.clean, userInfo: userInfo(rule.rule.rawValue), isFinding: false).diagnostics.map(
                    \.rule)
                    == [.unusedSuppression])
        }
    }

    @Test(arguments: cases)
    func everyFixWorks(_ rule: RuleCase) throws {
        let outcome = try rule.lint(rule.finding)
        let document = try ModelDocument(bytes: outcome.bytes, path: "contents", name: "Model")
        let (changed, applied) = try FixApplier.apply(outcome.diagnostics, to: document, includesUnsafe: true)
        guard let fixed = rule.fixed else {
            #expect(applied.isEmpty)
            return
        }
        #expect(!applied.isEmpty)
        let expected = try rule.lint(fixed, isFixed: true)
        #expect(
            String(decoding: changed.source.bytes, as: UTF8.self) == String(decoding: expected.bytes, as: UTF8.self))
        #expect(expected.diagnostics.count == outcome.diagnostics.count - applied.count)
        // Only the fixes that the rule calls safe are safe.
        let safe = try FixApplier.apply(outcome.diagnostics, to: document, includesUnsafe: false).applied
        #expect(safe.allSatisfy { $0.fixes.first?.safety == .safe })
    }

    /// Every rule that checks versions has a case here.
    @Test func everyRuleHasACase() {
        let tested = Set(Self.cases.map(\.rule))
        // The rules of the reader, the schema and the compiler are tested with them and in LinterTests.
        let elsewhere = Set(RuleRegistry.descriptions.map(\.id)).subtracting(RuleRegistry.checkedRules)
        #expect(tested.isSuperset(of: RuleRegistry.checkedRules))
        #expect(tested.isDisjoint(with: elsewhere))
    }

    /// Every finding can be explained, since findings have only `RuleID`s.
    @Test func everyIdentifierIsDescribed() {
        #expect(Set(RuleRegistry.descriptions.map(\.id)) == Set(RuleID.allCases))
        for rule in RuleID.allCases {
            #expect(RuleRegistry.description(named: rule.rawValue)?.id == rule)
            #expect(RuleRegistry.description(of: rule)?.explanation.isEmpty == false)
        }
    }

    @Test func namesAndCodesAreUnique() {
        let all = RuleRegistry.descriptions
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(Set(all.map(\.code)).count == all.count)
        for rule in all {
            #expect(rule.code.wholeMatch(of: /MC[0-9]{4}/) != nil)
            #expect(rule.id.rawValue.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
            #expect(!rule.title.hasSuffix("."))
            #expect(rule.title.count <= 120, "\(rule.id)")
        }
    }
}
