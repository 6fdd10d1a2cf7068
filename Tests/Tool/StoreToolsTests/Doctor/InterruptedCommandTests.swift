import CLibrary
import Foundation
import TestSupport
import Testing

/// Signals that end the commands which write stores leave nothing beside the files of the user.
@Suite struct InterruptedCommandTests {
    private static let entities = """
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        </entity>
        """

    private static let commands: [[String]] = [
        ["repair", "a.sqlite", "--output", "b.sqlite"],
        ["repair", "a.sqlite", "--in-place", "--backup", "b.sqlite"],
        ["compact", "a.sqlite", "--output", "b.sqlite"],
        ["recover", "a.sqlite", "--output", "b.sqlite"],
        ["export", "a.sqlite", "--output", "b"],
        ["export", "a.sqlite", "--format", "sqlite", "--output", "b.sqlite"],
    ]

    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 4000) == 0)
        try scratch.execute("UPDATE ZBOOK SET Z_OPT = 0", in: "a.sqlite")
        return scratch
    }

    /// Starts a program, sends it a signal once it has created its temporary folder, and returns the signal that ended
    /// it. A program that has ended before, on a busy machine, is started again.
    private func interrupt(
        _ program: String, _ arguments: [String], by number: Int32, in scratch: StoreScratch, watching folder: URL,
        sendsToChildren: Bool = false
    ) throws -> Int32? {
        let store = try Data(contentsOf: scratch.url("a.sqlite"))
        for _ in 0..<50 {
            let end = try interrupt(
                program, arguments, by: number, after: 0, in: scratch, watching: folder,
                sendsToChildren: sendsToChildren)
            if end != nil { return end }
            for name in ["b", "b.sqlite", ".b_SUPPORT"] { try? FileManager.default.removeItem(at: scratch.url(name)) }
            try store.write(to: scratch.url("a.sqlite"))
        }
        return nil
    }

    private func interrupt(
        _ program: String, _ arguments: [String], by number: Int32, after pause: UInt32,
        in scratch: StoreScratch, watching folder: URL, sendsToChildren: Bool = false
    ) throws -> Int32? {
        let process = Process()
        process.executableURL = ToolProcess.url(program)
        process.arguments = arguments
        process.currentDirectoryURL = scratch.folder
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try Self.receivingSignals { try process.run() }
        while process.isRunning, try temporaryNames(folder).isEmpty { usleep(200) }
        usleep(pause)
        if sendsToChildren {
            // As a terminal does.
            let identifier = process.processIdentifier
            let children = try? String(
                contentsOfFile: "/proc/\(identifier)/task/\(identifier)/children", encoding: .utf8)
            for child in (children ?? "").split(separator: " ") {
                if let child = pid_t(child) { kill(child, number) }
            }
        }
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
    }

    /// Runs a body in which signals have the actions of a program that was started by a shell: the threads of tests
    /// block them, and a background job of a shell ignores SIGINT, which a process inherits.
    private static func receivingSignals(_ body: () throws -> Void) rethrows {
        var (none, previous) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        for number in [SIGHUP, SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        try body()
    }

    private func temporaryNames(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix(".modelc-") || $0.hasPrefix("modelc-")
        }
    }

    private func expectWholeResult(of arguments: [String], in scratch: StoreScratch) throws {
        let result = arguments.last ?? ""
        #expect(FileManager.default.fileExists(atPath: scratch.url(result).path))
        if arguments.contains("--format") {
            let database = try SeedDatabase(scratch.url(result).path)
            #expect(try database.integer("SELECT count(*) FROM Book") == 4000)
        } else if result == "b.sqlite" {
            // A copy may have the faults of the original.
            #expect([0, 1].contains(scratch.check(result)), "\(scratch.errorOutput)")
            // The backup is that of the database alone.
            if arguments.contains("--output") {
                #expect(!scratch.output.contains("external-file"), "\(scratch.output)")
            }
        }
    }

    private func expectNothingOrAWholeResult(
        of arguments: [String], in scratch: StoreScratch, before: [String: Data]
    ) throws {
        // The exclusive use of a store leaves an empty log, which the next connection removes.
        let after = try scratch.files().filter { $0.key != "a.sqlite-wal" || !$0.value.isEmpty }
        // Otherwise the signal came while the result was put in its place, which is done as a whole.
        if after != before { try expectWholeResult(of: arguments, in: scratch) }
    }

    /// The result that a late signal meets, which seldom comes late enough on a machine without load.
    @Test(arguments: commands) func aCommandThatIsNotInterruptedWritesAWholeResult(arguments: [String]) throws {
        let scratch = try store()
        let process = Process()
        process.executableURL = ToolProcess.url("modelc-store")
        (process.arguments, process.currentDirectoryURL) = (arguments, scratch.folder)
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        // `recover` reports the versions, which it does not mend.
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == (arguments[0] == "recover" ? 1 : 0))
        try expectWholeResult(of: arguments, in: scratch)
    }

    @Test(.randomized, arguments: commands, [SIGINT, SIGTERM, SIGHUP])
    func aSignalLeavesNoTemporaryFiles(arguments: [String], signal: Int32) throws {
        var random = Seeds.generator()
        let scratch = try store()
        let before = try scratch.files()
        // Early signals meet the copying, later ones the work on the copy.
        for pause in [0, UInt32.random(in: 0...30_000, using: &random)] {
            let end =
                pause == 0
                ? try interrupt("modelc-store", arguments, by: signal, in: scratch, watching: scratch.folder)
                : try interrupt(
                    "modelc-store", arguments, by: signal, after: pause, in: scratch, watching: scratch.folder)
            #expect(try temporaryNames(scratch.folder).isEmpty)
            guard pause == 0 || end != nil else { continue }
            #expect(end == signal)
            try expectNothingOrAWholeResult(of: arguments, in: scratch, before: before)
        }
    }

    @Test(arguments: [(SIGTERM, false), (SIGTERM, true), (SIGINT, true)])
    func aSignalEndsTheProgramThatModelcHasStarted(signal: Int32, reachesBoth: Bool) throws {
        let scratch = try store()
        let before = try scratch.files()
        let end = try interrupt(
            "modelc", ["store"] + Self.commands[0], by: signal, in: scratch, watching: scratch.folder,
            sendsToChildren: reachesBoth)
        #expect(end == signal)
        #expect(try temporaryNames(scratch.folder).isEmpty)
        try expectNothingOrAWholeResult(of: Self.commands[0], in: scratch, before: before)
    }

    @Test func aSignalRemovesTheCopyOfADryRun() throws {
        let scratch = try store()
        let folder = scratch.url("Temporary")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let end = try interrupt(
            "modelc-store", ["repair", "a.sqlite", "--dry-run"], by: SIGTERM, in: scratch, watching: folder)
        #expect(end == SIGTERM)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// A store with a journal that a crash has left is read in a copy.
    @Test(arguments: [["check", "hot.sqlite"], ["info", "hot.sqlite"]])
    func aSignalRemovesTheCopyOfAStoreWithAJournal(arguments: [String]) throws {
        let scratch = try store()
        let folder = scratch.url("Temporary")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        _ = try database.integer("PRAGMA journal_mode = DELETE")
        try database.execute("PRAGMA cache_size = 1; BEGIN; UPDATE ZBOOK SET ZTITLE = 'x'")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(
                at: scratch.url("a.sqlite\(suffix)"), to: scratch.url("hot.sqlite\(suffix)"))
        }
        try database.execute("ROLLBACK")
        let end = try interrupt("modelc-store", arguments, by: SIGTERM, in: scratch, watching: folder)
        #expect(end == SIGTERM)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// A program that was started to ignore a signal, as by nohup, goes on.
    @Test func anIgnoredSignalStaysIgnored() throws {
        let scratch = try store()
        let script = "trap '' HUP; exec \"$0\" \"$@\""
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, ToolProcess.url("modelc-store").path] + Self.commands[0]
        process.currentDirectoryURL = scratch.folder
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try Self.receivingSignals { try process.run() }
        while process.isRunning, try temporaryNames(scratch.folder).isEmpty { usleep(200) }
        kill(process.processIdentifier, SIGHUP)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(scratch.check("b.sqlite") == 0)
    }
}
