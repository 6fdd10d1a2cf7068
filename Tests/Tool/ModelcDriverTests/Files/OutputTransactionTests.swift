import Foundation
import Testing

@testable import ModelcDriver

@Suite struct OutputTransactionTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func write(_ text: String, to path: String, files: (any FileSystem)? = nil) throws {
        var transaction = OutputTransaction(files: files ?? scratch.files)
        try transaction.write(path, Array(text.utf8))
        try transaction.commit()
    }

    private func reason(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FileSystemError)?.reason
        }
    }

    @Test func keepsThePermissionsAndOwnerOfAFile() throws {
        try scratch.write("old", to: "file")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scratch.url("file").path)
        let isSuperuser = geteuid() == 0
        if isSuperuser {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 12345, .groupOwnerAccountID: 54321], ofItemAtPath: scratch.url("file").path)
        }
        try write("new", to: "file")
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.url("file").path)
        #expect(try scratch.text("file") == "new")
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        if isSuperuser {
            #expect(attributes[.ownerAccountID] as? Int == 12345)
            #expect(attributes[.groupOwnerAccountID] as? Int == 54321)
        }
    }

    @Test func followsAChainOfLinksToAFile() throws {
        try scratch.write("old", to: "folder/file")
        try scratch.link("folder/second", to: "file")
        try scratch.link("first", to: "folder/second")
        try write("new", to: "first")
        #expect(
            try scratch.tree() == [
                "first": "-> folder/second", "folder": "folder", "folder/second": "-> file", "folder/file": "new",
            ])
    }

    @Test(arguments: [
        ("dangling", "the symbolic link points to “nowhere”, which does not exist"),
        ("circle", "the symbolic links form a cycle"), ("folder", "it is a folder"), ("", "the path is empty"),
        ("new/", "it is a folder"), ("linked-folder", "it is a folder"),
    ])
    func rejectsWhatIsNotAFile(path: String, expected: String) throws {
        try scratch.link("dangling", to: "nowhere")
        try scratch.link("circle", to: "circle")
        try scratch.write("x", to: "folder/x")
        try scratch.link("linked-folder", to: "folder")
        let before = try scratch.tree()
        #expect(reason { try write("new", to: path) } == expected)
        #expect(try scratch.tree() == before)
    }

    @Test func aFileThatChangedSinceItWasReadIsNotReplaced() throws {
        try scratch.write("edited by another program", to: "file")
        var transaction = OutputTransaction(files: scratch.files)
        try transaction.write("file", Array("new".utf8), expecting: Array("as it was read".utf8))
        let commit = transaction
        #expect(reason { try commit.commit() } == "another program changed the file in the meantime")
        #expect(try scratch.tree() == ["file": "edited by another program"])
    }

    /// At every step after the checks, another process creates something in the way.
    @Test(arguments: ["link", "folder", "file"])
    func filesCreatedMeanwhileAreKept(kind: String) throws {
        for step in 0..<6 {
            let scratch = try Scratch()
            try scratch.write("a", to: "a")
            try scratch.write("b", to: "b")
            try scratch.write("precious", to: "precious")
            for (path, isNew) in [("b", false), ("c", true)] {
                let url = scratch.url(path)
                let files = ScriptedFileSystem(scratch.files) { number, _ throws(FileSystemError) in
                    guard number == step else { return }
                    try? FileManager.default.removeItem(at: url)
                    switch kind {
                    case "link":
                        try? FileManager.default.createSymbolicLink(
                            atPath: url.path, withDestinationPath: "precious")
                    case "folder":
                        try? FileManager.default.createDirectory(
                            at: url, withIntermediateDirectories: true)
                    default: try? Data("another's".utf8).write(to: url)
                    }
                }
                var transaction = OutputTransaction(files: files)
                try transaction.write("a", Array("A".utf8))
                try transaction.write(path, Array("B".utf8))
                try? transaction.commit()
                #expect(try scratch.text("precious") == "precious")
                if isNew, kind == "file", files.operations.count > step {
                    #expect(["another's", "B"].contains(try scratch.text(path)))
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
                #expect(
                    !names.contains { TemporaryNames.isTemporary($0) || TemporaryNames.isBackup($0) }, "step \(step)")
                try? FileManager.default.removeItem(at: url)
                try scratch.write("b", to: "b")
            }
        }
    }

    @Test func aPlantedLinkUnderATemporaryNameIsNotFollowed() throws {
        try scratch.write("precious", to: "precious")
        try scratch.link(".modelc-0000000000000000", to: "precious")
        try scratch.link(".modelc-0000000000000001", to: "nowhere")
        for name in [".modelc-0000000000000000", ".modelc-0000000000000001"] {
            #expect(throws: FileSystemError.self) {
                try scratch.files.create(name, [1], like: nil)
            }
        }
        #expect(try scratch.text("precious") == "precious")
        #expect(try scratch.tree()["nowhere"] == nil)
    }

    @Test func temporaryNamesAreRecognizedAndOthersAreNot() {
        var names = TemporaryNames()
        let (first, second) = (names.next(beside: "a/b"), names.next(beside: "a/b"))
        #expect(first != second)
        #expect(first.hasPrefix("a/.modelc-"))
        #expect(TemporaryNames.isTemporary(PathName.name(of: first)))
        for name in [".modelc.yml", ".modelc-baseline", ".modelc-0123456789ABCDEF", ".modelc-0123456789abcdef0"] {
            #expect(!TemporaryNames.isTemporary(name))
        }
    }

    /// The contents of a backup are older than an hour from the start.
    @Test func aBackupIsRemovedOnlyAnHourAfterItsFileWasReplaced() throws {
        var names = TemporaryNames()
        let backup = names.backup(of: "file")
        #expect(TemporaryNames.isBackup(backup) && !TemporaryNames.isTemporary(backup))
        try scratch.write("now", to: "now")
        try scratch.write("old", to: "file")
        try scratch.age("file")
        func isKept() throws -> Bool {
            TemporaryNames.sweep(beside: "now", current: "now", scratch.files)
            return try scratch.tree()[backup] == "old"
        }
        // A second name of the file, which is about to be replaced.
        try scratch.files.keep("file", as: backup)
        #expect(try isKept())
        // The only copy: the file was removed, or moved where links are unsupported.
        try scratch.files.remove("file")
        #expect(try isKept())
        try scratch.write("new", to: "file")
        #expect(try isKept())
        try scratch.age("file")
        #expect(try !isKept())
        #expect(try scratch.tree() == ["now": "now", "file": "new"])
    }

    @Test func aFileThatWasMissingIsNotReplaced() throws {
        try scratch.write("another's", to: "file")
        var transaction = OutputTransaction(files: scratch.files)
        try transaction.write("file", Array("new".utf8), expecting: [])
        let commit = transaction
        #expect(reason { try commit.commit() } == "another program changed the file in the meantime")
        transaction = OutputTransaction(files: scratch.files)
        try transaction.write("new", Array("new".utf8), expecting: [])
        try transaction.commit()
        #expect(try scratch.tree() == ["file": "another's", "new": "new"])
    }

    /// A folder in which a long run writes has a new file, though its own time is old.
    @Test func onlyFoldersOfKilledRunsAreRemoved() throws {
        let (used, left) = (".modelc-0000000000000000", ".modelc-0000000000000001")
        try scratch.write("now", to: "now")
        for name in [used, left] {
            try scratch.write("a", to: "\(name)/a")
            let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -7200)]
            if name == left {
                try FileManager.default.setAttributes(old, ofItemAtPath: scratch.url("\(name)/a").path)
            }
            try FileManager.default.setAttributes(old, ofItemAtPath: scratch.url(name).path)
        }
        TemporaryNames.sweep(beside: "now", current: "now", scratch.files)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(names.contains(used) && !names.contains(left), "\(names)")
    }

    @Test func aPipeGetsTheBytesAndStays() throws {
        let pipe = scratch.url("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try scratch.link("link", to: "pipe")
        try write("bytes", to: "link")
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = Foundation.read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "bytes")
        #expect(scratch.files.kind(of: "pipe") == .other)
        #expect(scratch.files.linkTarget(of: "link") == "pipe")
    }

    @Test func readingAPipeDoesNotWait() throws {
        #expect(mkfifo(scratch.url("pipe").path, 0o600) == 0)
        #expect(throws: FileSystemError.self) { try scratch.files.read("pipe") }
    }

    @Test(arguments: [
        ("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/63", 63), ("/proc/self/fd/3", 3), ("/dev/fd/x", nil),
        ("/dev/fd/-1", nil), ("/dev/null", nil), ("a/dev/stdout", nil),
    ])
    func descriptorsAreRecognized(path: String, descriptor: Int32?) {
        #expect(PathName.descriptor(of: path) == descriptor)
    }

    /// `--reporter text=/dev/stdout > log` appends to the log; it does not replace it with another file.
    @Test func anOpenDescriptorIsWrittenToAndItsFileStays() throws {
        try scratch.write("begin ", to: "log")
        let descriptor = open(scratch.url("log").path, O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        let before = scratch.files.identity(of: "log")
        try write("and end", to: "/dev/fd/\(descriptor)")
        #expect(try scratch.text("log") == "begin and end")
        #expect(scratch.files.identity(of: "log") == before)
    }
}

@Suite struct OutputFolderTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// Each writer finds its files unless a later one has replaced them, and a failing writer does not remove those of
    /// others.
    @Test func manyWritersTakeTurns() throws {
        let files = scratch.files
        DispatchQueue.concurrentPerform(iterations: 60) { index in
            let folder = try? OutputFolder("Deep/Out", files: files)
            let result = Result {
                try folder?.exclusively { () throws(InputFailure) in
                    let isAlone = (try? files.create("Deep/Out/turn", [], like: nil)) != nil
                    #expect(isAlone)
                    usleep(500)
                    defer { try? files.remove("Deep/Out/turn") }
                    try InputFailure.wrapping { () throws(FileSystemError) in
                        var transaction = OutputTransaction(files: files)
                        for name in ["a", "b", "c"] {
                            try transaction.write(generated: "Deep/Out/\(name)", [UInt8(index)])
                        }
                        if index % 3 == 0 { transaction.remove("Deep/Out/missing") }
                        try transaction.commit()
                    }
                }
            }
            if index % 3 == 0 { #expect(throws: InputFailure.self) { try result.get() } }
            if index % 3 != 0 { #expect(throws: Never.self) { try result.get() } }
        }
        let tree = try scratch.tree()
        #expect(tree.keys.sorted() == ["Deep", "Deep/Out", "Deep/Out/a", "Deep/Out/b", "Deep/Out/c"])
        #expect(Set(["a", "b", "c"].map { tree["Deep/Out/\($0)"] }).count == 1)
    }

    @Test func aFailureRemovesTheFoldersThatItMade() throws {
        try scratch.write("x", to: "Here/x")
        let folder = try OutputFolder("Here/There/Out", files: scratch.files)
        #expect(throws: InputFailure.self) {
            try folder.exclusively { () throws(InputFailure) in throw InputFailure(diagnostics: [], exitCode: .findings)
            }
        }
        #expect(try scratch.tree().keys.sorted() == ["Here", "Here/x"])
    }
}

@Suite struct SourceProtectionTests {
    @Test(arguments: [
        ("M.xcdatamodeld", true, true), ("M.xcdatamodeld/new", true, true),
        ("M.xcdatamodeld/V.xcdatamodel/contents", true, true),
        ("link/x", true, true), ("folder/../M.xcdatamodeld/x", true, true), ("new/../M.xcdatamodeld/x", true, true),
        ("M.xcdatamodeld/../M.xcdatamodeld", true, true), (".", true, false), ("folder", true, false),
        ("M.momd", false, false), ("folder/M.xcdatamodeld", false, false), ("M.xcdatamodeld2", false, false),
    ])
    func protectsTheWholeModel(destination: String, isRejectedWhole: Bool, isRejected: Bool) throws {
        let scratch = try Scratch()
        try scratch.write("x", to: "M.xcdatamodeld/V.xcdatamodel/contents")
        try scratch.write("x", to: "folder/x")
        try scratch.link("link", to: "M.xcdatamodeld")
        try scratch.link("folder/inner", to: "../M.xcdatamodeld")
        let source = destination == "folder" ? "folder/x" : "M.xcdatamodeld/V.xcdatamodel/contents"
        let protection = SourceProtection([source], files: scratch.files)
        func rejects(isReplacedWhole: Bool) -> Bool {
            (try? protection.check(destination, isReplacedWhole: isReplacedWhole)) == nil
        }
        #expect(rejects(isReplacedWhole: true) == isRejectedWhole)
        #expect(rejects(isReplacedWhole: false) == isRejected)
    }
}
