import Foundation
import TestSupport
import Testing

/// The names of the members of `NSManagedObjectContext` are easy to tell apart.
@Suite struct ContextMemberTests {
    /// Names of Apple's interface.
    private static let apple: Set<Set<String>> = [
        ["ConcurrencyType", "concurrencyType"], ["registeredObject", "registeredObjects"],
    ]

    /// Returns the names of the members that a text declares of a class, in the class or in its extensions.
    private static func members(of name: String, in text: String) -> [String] {
        var isInside = false
        return text.split(separator: "\n").compactMap { line in
            if line.first != " " {
                let words = line.split { !$0.isLetter }
                isInside =
                    line.hasSuffix("{")
                    && zip(words, words.dropFirst()).contains {
                        ["class", "extension"].contains($0) && $1 == name
                    }
            }
            guard isInside, line.prefix(while: { $0 == " " }).count == 4,
                let match = line.firstMatch(of: /\b(?:let|var|func|enum|struct|class(?! func)) (\w+)/)
            else { return nil }
            return String(match.output.1)
        }
    }

    /// Returns the pairs of names that differ only by case or by a plural.
    private static func confusable(_ names: some Sequence<String>) -> Set<Set<String>> {
        let forms = Dictionary(grouping: Set(names)) { name in
            let name = name.lowercased()
            return name.hasSuffix("s") ? String(name.dropLast()) : name
        }
        return Set(forms.values.filter { $0.count > 1 }.map { Set($0) })
    }

    @Test func membersDifferByMoreThanCaseOrNumber() throws {
        let folder = Checkout.root.appendingPathComponent("Sources/Runtime/CoreData")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        let names = try files.filter { $0.hasSuffix(".swift") }.flatMap { path in
            Self.members(
                of: "NSManagedObjectContext",
                in: try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
        }
        #expect(names.count > 100)
        #expect(Self.confusable(names).subtracting(Self.apple) == [])
    }

    @Test func pairsAreFound() {
        let text = """
            open class Context: NSObject {
                private let layout = 1
                @A(b) final var other = 1
                func merge() {
                    let inner = 1
                }
            }
            extension Context {
                final func Merge() {}
                static func layouts() {}
            }
            struct Others {
                var others = 1
            }
            """
        let names = Self.members(of: "Context", in: text)
        #expect(names == ["layout", "other", "merge", "Merge", "layouts"])
        #expect(Self.confusable(names) == [["layout", "layouts"], ["merge", "Merge"]])
    }
}
