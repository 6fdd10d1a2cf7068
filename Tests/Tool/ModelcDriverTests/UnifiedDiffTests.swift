import TestSupport
import Testing

@testable import ModelcDriver

@Suite struct UnifiedDiffTests {
    @Test func equalTextsHaveNoDifference() {
        #expect(UnifiedDiff.between("a\n", "a\n", path: "f") == "")
        #expect(UnifiedDiff.between(nil, nil, path: "f") == "")
    }

    /// Git quotes names in this way (git-config(1), core.quotePath), and `git apply` and GNU patch read it.
    @Test func pathsThatEndALineAreQuoted() throws {
        let path = "a\n\"\u{1B}[2J\\.txt"
        let patch = UnifiedDiff.between("1\n", "2\n", path: path)
        #expect(patch.hasPrefix(#"--- "a/a\012\"\033[2J\\.txt""# + "\n+++ \"b/"))
        #expect(UnifiedDiff.between("1\n", "2\n", path: "Größe 1.txt").hasPrefix("--- a/Größe 1.txt\n+++ b/"))
        let repository = try GitRepository()
        try repository.write("1\n", to: path)
        try repository.write(patch, to: "patch")
        try repository.git("apply", "patch")
        #expect(try String(contentsOf: repository.folder.appendingPathComponent(path), encoding: .utf8) == "2\n")
    }

    @Test(arguments: [
        ("App/Größe-1.xcdatamodeld", "App/Größe-1.xcdatamodeld"), ("", "''"), ("HEAD~1", "HEAD~1"), ("~", "'~'"),
        ("a b", "'a b'"), ("$(x)", "'$(x)'"),
        ("it's", #"'it'\''s'"#), ("a\nb", "'a\nb'"),
    ])
    func wordsOfCommandsAreQuotedForTheShell(word: String, quoted: String) throws {
        #expect(ShellWord.quoted(word) == quoted)
        let result = try ChildProcess.run(["sh", "-c", "printf %s \(quoted)"])
        #expect(String(decoding: result.output, as: UTF8.self) == word)
    }

    /// The output format of `diff -u` (POSIX.1-2017, diff, "Diff -u Output Format").
    @Test func printsHunksWithContext() {
        let old = (1...20).map { "line \($0)\n" }.joined()
        let new = old.replacing("line 5\n", with: "five\n").replacing("line 17\n", with: "")
        #expect(
            UnifiedDiff.between(old, new, path: "f") == """
                --- a/f
                +++ b/f
                @@ -2,7 +2,7 @@
                 line 2
                 line 3
                 line 4
                -line 5
                +five
                 line 6
                 line 7
                 line 8
                @@ -14,7 +14,6 @@
                 line 14
                 line 15
                 line 16
                -line 17
                 line 18
                 line 19
                 line 20

                """)
    }

    @Test func marksAMissingLineFeedAtTheEnd() {
        #expect(
            UnifiedDiff.between("a", "a\n", path: "f")
                == "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")
    }

    @Test func newAndRemovedFilesNameDevNull() {
        #expect(UnifiedDiff.between(nil, "a\n", path: "f") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n")
        #expect(UnifiedDiff.between("a\n", nil, path: "f") == "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
    }

    /// `patch -p1` and `git apply` reject `..` and absolute paths, and strip one component: `a//tmp/f` would name
    /// `/tmp/f`.
    @Test func headersHavePathsThatPatchAccepts() throws {
        let scratch = try Scratch()
        try scratch.write("x", to: "Work/Package/f")
        try scratch.link("Link", to: "Work")
        let files = POSIXFileSystem(workingDirectory: scratch.url("Work").path)
        let folder = try #require(scratch.files.canonicalPath("."))
        func path(_ file: String) -> String { PatchPath.path(of: file, in: files) }
        for same in [
            "Package/f", "./Package/f", "Package//f", "../Work/Package/f", "\(folder)/Work/Package/f",
            "\(folder)//Work/./Package/f", "\(folder)/Link/Package/f", "\(folder)/Link/../Work/Package/f",
        ] { #expect(path(same) == "Package/f", "\(same)") }
        #expect(path("\(folder)/Work/New/Folder/f") == "New/Folder/f")
        let outside = String(folder.dropFirst()) + "/Other/f"
        #expect(path("\(folder)/Other/f") == outside && path("../Other/f") == outside)
    }

    @Test(.randomized) func differencesOfRandomTextsApply() {
        var random = Seeds.generator()
        for _ in 0..<300 {
            let old = (0..<Int.random(in: 0...30, using: &random)).map { _ in "\(Int.random(in: 0...6, using: &random))"
            }
            var new = old
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                if !new.isEmpty, Bool.random(using: &random) {
                    new.remove(at: Int.random(in: 0..<new.count, using: &random))
                } else {
                    new.insert(
                        "\(Int.random(in: 0...9, using: &random))", at: Int.random(in: 0...new.count, using: &random))
                }
            }
            let diff = UnifiedDiff.between(
                old.map { $0 + "\n" }.joined(), new.map { $0 + "\n" }.joined(), path: "f")
            #expect(apply(diff, to: old) == new)
        }
    }

    /// Applies a diff like `patch`, checking every context line and every number in the hunk headers.
    private func apply(_ diff: String, to old: [String]) -> [String]? {
        var result: [String] = []
        var position = 0
        for line in diff.split(separator: "\n").dropFirst(2) {
            let text = String(line.dropFirst())
            switch line.first {
            case "@":
                let numbers = line.split(whereSeparator: { !$0.isNumber && $0 != "," })
                let start = numbers[0].split(separator: ",").compactMap { Int($0) }
                let next = start.count == 2 && start[1] == 0 ? start[0] : start[0] - 1
                guard next >= position, next <= old.count else { return nil }
                result += old[position..<next]
                position = next
                let target = numbers[1].split(separator: ",").compactMap { Int($0) }
                guard target.count == 2 && target[1] == 0 || result.count == target[0] - 1 else { return nil }
            case " ", "-":
                guard position < old.count, old[position] == text else { return nil }
                if line.first == " " { result.append(text) }
                position += 1
            case "+": result.append(text)
            default: return nil
            }
        }
        return result + old[position...]
    }
}
