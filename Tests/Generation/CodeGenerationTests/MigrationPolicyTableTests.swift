import Testing

@testable import CodeGeneration

/// The table of methods called by expressions in mapping models.
@Suite struct MigrationPolicyTableTests {
    private func file(_ text: String) -> (text: String, findings: Int) {
        let source = ManagedSource(path: "/p/Policy.swift", bytes: Array(text.utf8), isExcluded: true)
        let code = ManagedCode(moduleName: "Shop", models: [], sources: [source])
        return (code.accessorsFile(named: "x"), code.diagnostics().filter { $0.rule == .uncalledKeyMethod }.count)
    }

    /// Selectors are the same as those of Apple's compiler.
    @Test(arguments: [
        ("@objc func plain() {}", "plain"),
        ("@objc func name(_ text: String) -> String { text }", "name:"),
        ("@objc func name(for text: String) -> String { text }", "nameFor:"),
        ("@objc func name(text: String) -> String { text }", "nameWithText:"),
        ("@objc func join(_ a: String?, with b: String?) throws -> String { \"\" }", "join:with:"),
        ("@objc(other:and:) func join(_ a: Int, _ b: Int) -> Int { a }", "other:and:"),
    ])
    func methodsAreListedByTheirSelectors(declaration: String, selector: String) {
        let (text, findings) = file("import CoreData\nclass Split: NSEntityMigrationPolicy { \(declaration) }")
        #expect(text.contains("(Split.self, \"\(selector)\", { policy, arguments in"), "\(text)")
        #expect(findings == 0)
    }

    @Test func argumentsArePassedWithTheirLabels() {
        let (text, _) = file(
            "class Base: NSEntityMigrationPolicy {}\nclass Split: Base { @objc func join(_ a: String?, with b: Int) -> String? { a } }"
        )
        #expect(
            text.contains(
                "try unsafeDowncast(policy, to: Split.self).join(MigrationPolicyMethods.argument(arguments, 0), "
                    + "with: MigrationPolicyMethods.argument(arguments, 1))"), "\(text)")
    }

    /// The compiler warns about backquotes around other labels.
    @Test(arguments: ["for", "in", "`inout`"])
    func reservedLabelsAreEscaped(written: String) {
        let (text, _) = file(
            "class Split: NSEntityMigrationPolicy { @objc func name(\(written) text: String?) -> String? { text } }")
        #expect(text.contains(".name(\(written): MigrationPolicyMethods.argument(arguments, 0))"), "\(text)")
    }

    @Test func otherClassesAndMethodsAreNotListed() {
        let (text, _) = file(
            "class Split: NSEntityMigrationPolicy { func plain() {} }\nclass Other: NSObject { @objc func name() {} }")
        #expect(!text.contains("_MigrationPolicyMethods"))
    }

    @Test func unreachableMethodsAreReported() {
        let (text, findings) = file("class Split: NSEntityMigrationPolicy { @objc private func name() {} }")
        #expect(!text.contains("_MigrationPolicyMethods"))
        #expect(findings == 1)
    }
}
