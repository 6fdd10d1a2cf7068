internal import Diagnostics
internal import SwiftSources

/// Finds the constructs of a source that cannot be rewritten.
struct SourceProblems {
    let source: ManagedSource
    let target: TargetSources

    /// The constructs that must be edited manually.
    var notes: [Diagnostic] { obstacles + overrides }

    private func finding(
        _ severity: Severity, rule: RuleID, message: String, at range: Range<Int>, why: String, help: String
    ) -> Diagnostic {
        source.diagnostic(severity, rule: rule, message: message, at: range, why: why, help: help)
    }

    /// The constructs that keep the source from compiling on Linux.
    var obstacles: [Diagnostic] {
        var result: [Diagnostic] = []
        if source.fileName == "main.swift" {
            result.append(
                finding(
                    .error, rule: .needsManualEdit, message: "“main.swift” cannot be copied", at: 0..<0,
                    why: "Only a file with this name can contain top-level code.",
                    help: "Move the code that needs Objective-C to another file."))
        }
        for site in file.importSites where !site.isUncertain && LinuxModules.isAvailable(site.module) == false {
            guard target.replacement(for: site, in: source) == nil else { continue }
            let isCombine = site.module == "Combine"
            result.append(
                finding(
                    .error, rule: .needsManualEdit, message: "Linux does not have “\(site.module)”",
                    at: site.moduleRange,
                    why: "The source imports the framework and uses it.",
                    help: isCombine
                        ? "Add the product OpenCombineShim to the target; “prepare-for-linux” does."
                        : "Put the import and its uses between #if canImport(\(site.module)) and #endif."))
        }
        let selectors = SelectorText(source: source, target: target)
        for selector in file.selectors where selectors.text(of: selector) == nil {
            result.append(
                finding(
                    .error, rule: .needsManualEdit,
                    message: "\(source.text(selector.range)) needs the Objective-C runtime",
                    at: selector.range, why: "The class of the method is not known from the source.",
                    help: "Name the class: #selector(Class.method). Or use API that takes a closure."))
        }
        for keyPath in file.keyPaths where !keyPath.isPlain {
            result.append(
                finding(
                    .error, rule: .needsManualEdit, message: "unsupported key path: \(source.text(keyPath.range))",
                    at: keyPath.range, why: "Only names separated by dots are supported.",
                    help: "Write the string literal."))
        }
        for requirement in file.optionalRequirements
        where !OptionalRequirements.canDefault(requirement, in: source) {
            result.append(
                finding(
                    .error, rule: .needsManualEdit,
                    message: "optional requirements of protocols need the Objective-C runtime",
                    at: requirement.range,
                    why: "Only methods without result get a default implementation, which does nothing.",
                    help: "Make the requirement non-optional, with a default implementation in an extension."))
        }
        return result
    }

    private var file: SwiftFile { source.file }

    /// Overrides in extensions that cannot be moved into the class.
    var overrides: [Diagnostic] {
        let moved = ExtensionOverrides(target: target)
        return file.overrides.compactMap { member in
            guard member.context.isExtension, !(source.isExcluded && moved.canMove(member)) else { return nil }
            return override(member)
        }
    }

    private func override(_ member: SwiftFile.Override) -> Diagnostic {
        let className = member.context.path.joined(separator: ".")
        let why: String
        let help: String
        let location = target.location(ofClass: member.context.path)
        if !source.isExcluded {
            why = "Without Objective-C, Swift cannot override members in extensions."
            help = "Exclude “\(source.fileName)” from the target, or move the member into the class."
        } else if case .compiled(let location) = location {
            let name = target.sources[location.source].fileName
            why = "“\(className)” is declared in “\(name)”, which the target does not exclude."
            help = "Exclude “\(name)” too."
        } else if case .unknown = location {
            why = "“\(className)” is not declared in this target."
            help = "Move the member into a class."
        } else {
            why = "modelc cannot write the override that would call it."
            help = "Move the member into the class."
        }
        return finding(
            .error, rule: .overrideInExtension, message: "“\(member.name)” overrides a member in an extension",
            at: member.nameRange,
            why: why, help: help)
    }

    /// The tests of a source that is compiled unchanged which stop the program on Linux.
    var tests: [Diagnostic] {
        target.mainActorTests(source).filter { !$0.isOverride }.map { test in
            finding(
                .warning, rule: .mainActorTest,
                message: "“\(test.name)” can keep the tests of the target from running on Linux",
                at: test.nameRange,
                why:
                    "XCTest lists tests as functions without an actor. A class whose tests are synchronous methods of the main actor ends the program.",
                help:
                    "Exclude “\(source.fileName)” from the target: modelc then compiles a copy in which the test works. Or declare it "
                    + "as func \(test.name)() async\(test.canThrow ? " throws" : "").")
        }
    }

    /// The casts of a source that is compiled unchanged.
    var casts: [Diagnostic] {
        file.fetchRequestCasts.map { cast in
            finding(
                .warning, rule: .fetchRequestCast, message: "“\(source.text(cast.range))” always fails on Linux",
                at: cast.range,
                why: "Generic classes of different types cannot be cast to each other without Objective-C.",
                help:
                    "Exclude “\(source.fileName)” from the target: modelc then compiles a copy that converts the object. "
                    + "Or create it with the type that is needed: NSFetchRequest<Book>(entityName: \"Book\").")
        }
    }
}
