import Foundation
import SwiftSources
import TestSupport
import Testing

/// Functions with three or more parameters say at the call what each argument is.
@Suite struct ParameterLabelTests {
    /// A function with three or more parameters without labels.
    private struct Function: Hashable {
        var name: String
        var isPrivate: Bool
    }

    /// Called by generated code, on the path of every access to a property: `readSlot(3, 0x5F, "name")`.
    private static let generatedAccess = "CoreData/Objects/GeneratedAccess/"
    /// The module whose interface is Apple's `os`, and the files with SwiftData's `Schema.Version(1, 0, 0)` and with
    /// `objc_setAssociatedObject`.
    private static let apple = [
        "Runtime/UnifiedLogging/", "Runtime/SwiftData/Schema/Schema.swift",
        "Runtime/CoreDataFoundationExtras/AssociatedObjects.swift",
    ]
    private static let maximumOfPrivate = 34

    /// Returns the functions, initializers and subscripts with three or more unlabeled parameters in Swift code.
    private static func functions(in text: String) -> [Function] {
        let tokens = SwiftLexer.tokens(in: Array(text.utf8))
        var found: [Function] = []
        for index in tokens.indices {
            let isFunction = tokens[index].is("func")
            guard isFunction || tokens[index].is("init") else { continue }
            let name = isFunction && index + 1 < tokens.count ? tokens[index + 1].text : "init"
            guard let open = opening(after: index + (isFunction ? 1 : 0), isFunction: isFunction, in: tokens),
                unlabeled(from: open, in: tokens) >= 3
            else { continue }
            let modifiers = tokens[..<index].suffix(8).reversed().prefix { $0.kind == .word && !$0.is("var") }
            if modifiers.contains(where: { $0.is("override") }) { continue }
            found.append(
                Function(name: name, isPrivate: modifiers.contains { $0.is("private") || $0.is("fileprivate") }))
        }
        return found
    }

    /// Returns the index of the parenthesis before the parameters, or `nil` for a call such as `self.init(`.
    private static func opening(after start: Int, isFunction: Bool, in tokens: [SwiftToken]) -> Int? {
        if !isFunction, start > 0, tokens[start - 1].is(".") || tokens[start - 1].is("=") { return nil }
        var index = start + 1
        if !isFunction, index < tokens.count, tokens[index].is("?") || tokens[index].is("!") { index += 1 }
        var depth = 0
        while index < tokens.count, index < start + 60 {
            if tokens[index].is("<") { depth += 1 }
            if tokens[index].is(">") { depth -= 1 }
            if depth == 0, tokens[index].is("(") { return index }
            if depth == 0, tokens[index].is("{") { return nil }
            index += 1
        }
        return nil
    }

    /// Returns the number of parameters that begin with `_` and a name.
    private static func unlabeled(from open: Int, in tokens: [SwiftToken]) -> Int {
        var depth = 0
        var count = 0
        for index in open..<tokens.count {
            if ["(", "[", "{"].contains(where: { tokens[index].is($0) }) { depth += 1 }
            if [")", "]", "}"].contains(where: { tokens[index].is($0) }) { depth -= 1 }
            if depth == 0 { break }
            let begins = depth == 1 && (tokens[index].is("(") || tokens[index].is(","))
            if begins, index + 2 < tokens.count, tokens[index + 1].is("_"), tokens[index + 2].kind == .word {
                count += 1
            }
        }
        return count
    }

    @Test func parametersAreLabeled() throws {
        let folder = Checkout.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var unlabeled: [String] = []
        var privateCount = 0
        for path in paths where path.hasSuffix(".swift") && !path.contains(Self.generatedAccess) {
            if Self.apple.contains(where: path.contains) { continue }
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for function in Self.functions(in: text) {
                if function.isPrivate { privateCount += 1 } else { unlabeled.append("\(path): \(function.name)") }
            }
        }
        #expect(unlabeled == [])
        #expect(
            privateCount <= Self.maximumOfPrivate, "\(privateCount) private functions have three unlabeled parameters")
    }

    @Test func unlabeledParametersAreFound() {
        let text = """
            func first(_ a: Int, _ b: (Int, Int), _ c: [String: Int] = [:]) {}
            private func second<T>(_ a: T, _ b: T, with c: T, _ d: T) {}
            func third(_ a: Int, b: Int, _ c: Int) { self.init(_ , _ , _ ) }
            init?(_ a: Int, _ b: Int, _ c: Int) {}
            """
        #expect(
            Set(Self.functions(in: text)) == [
                Function(name: "first", isPrivate: false), Function(name: "second", isPrivate: true),
                Function(name: "init", isPrivate: false),
            ])
    }
}
