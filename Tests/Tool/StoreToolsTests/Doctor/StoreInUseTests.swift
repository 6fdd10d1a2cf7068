import CompiledModel
import CoreData
import Foundation
import StoreFile
import Testing

@testable import StoreDoctor
@testable import StoreTools

private let shell = "/usr/bin/sqlite3"

/// An app that uses a store while it is checked or exported is never locked out, and its files are what it has written.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: shell)))
struct StoreInUseTests {
    /// What is beside the store when it is read.
    enum Files: CaseIterable {
        case nothing, rollbackMode, leftoverLog, logInUse
    }

    private static let entities = """
        <entity name="Author" syncable="YES"><attribute name="name" optional="YES" attributeType="String"/></entity>
        <entity name="Book" syncable="YES"><attribute name="title" optional="YES" attributeType="String"/></entity>
        """

    /// Returns a folder with 20 authors and 20 books in `a.sqlite`, and the connection that uses it.
    private func store(_ files: Files) throws -> (scratch: StoreScratch, user: SeedDatabase?) {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 20) == 0)
        switch files {
        case .nothing: return (scratch, nil)
        case .rollbackMode:
            try scratch.execute("PRAGMA journal_mode = DELETE", in: "a.sqlite")
            return (scratch, nil)
        case .logInUse:
            let user = try SeedDatabase(scratch.url("a.sqlite").path)
            try user.execute("UPDATE ZAUTHOR SET ZNAME = 'x' WHERE Z_PK = 1")
            return (scratch, user)
        case .leftoverLog:
            do {
                let user = try SeedDatabase(scratch.url("a.sqlite").path)
                try user.execute("UPDATE ZAUTHOR SET ZNAME = 'x' WHERE Z_PK = 1")
                // The files of an app that has crashed.
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: scratch.url("a.sqlite").path + suffix, toPath: scratch.url("b.sqlite").path + suffix)
                }
                withExtendedLifetime(user) {}
            }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: scratch.url("a.sqlite").path + suffix)
            }
            for suffix in ["", "-wal"] {
                try FileManager.default.moveItem(
                    atPath: scratch.url("b.sqlite").path + suffix, toPath: scratch.url("a.sqlite").path + suffix)
            }
            #expect(try storeFiles(scratch).count == 2)
            return (scratch, nil)
        }
    }

    /// Opens the store in another process that does not wait for locks, changes it, and closes it.
    private func write(_ sql: String, in scratch: StoreScratch) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["-bail", scratch.url("a.sqlite").path, sql]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Moves a row from one table to another.
    private static let move = """
        BEGIN IMMEDIATE; DELETE FROM ZAUTHOR WHERE Z_PK = 2;
        INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT) SELECT 100, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'; COMMIT
        """

    /// Returns the checksums, sizes and names of the store's files.
    ///
    /// Another process reads them: closing a file ends the locks that this process has on it. The index of a log is
    /// left out: it is memory that connections share.
    private func storeFiles(_ scratch: StoreScratch) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "for f in a.sqlite*; do case $f in *-shm) ;; *) cksum $f ;; esac; done"]
        process.currentDirectoryURL = scratch.folder
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: Files.allCases) func anAppWritesWhileItsStoreIsRead(_ files: Files) throws {
        let (scratch, user) = try store(files)
        var (rounds, written) = (0, [String]())
        let sum = try DoctorDatabase.readOneState(of: scratch.url("a.sqlite").path) { database in
            rounds += 1
            try database.begin()
            let authors = try database.integer("SELECT count(*) FROM ZAUTHOR") ?? 0
            if rounds == 1 {
                #expect(try write(Self.move, in: scratch) == 0)
                written = try storeFiles(scratch)
            }
            return try authors + (database.integer("SELECT count(*) FROM ZBOOK") ?? 0)
        }
        #expect(sum == 40)
        // What is appended to a log in use does not change the state that is read.
        #expect(rounds == (files == .logInUse ? 1 : 2))
        #expect(try storeFiles(scratch) == written)
        #expect(written.count == (files == .logInUse ? 2 : 1))
        if user == nil { #expect(try scratch.files().keys.filter { $0.hasPrefix("a.sqlite") } == ["a.sqlite"]) }
    }

    @Test(arguments: Files.allCases) func checkAndExportLeaveTheAppItsStore(_ files: Files) throws {
        let (scratch, user) = try store(files)
        let path = scratch.url("a.sqlite").path
        let before = try storeFiles(scratch)
        var doctor = StoreDoctor(path: path)
        #expect(try doctor.check().findings.isEmpty)
        // In another process: a command reads the beginning of the file without SQLite, which ends locks.
        #expect(
            try ToolProcess.run("modelc-store", ["export", "a.sqlite", "--output", "-"], in: scratch.folder).code == 0)
        #expect(try storeFiles(scratch) == before)
        var readings = 0
        doctor.didRead = {
            readings += 1
            guard readings == 1 else { return }
            #expect((try? write("UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 3", in: scratch)) == 0)
        }
        let found = try doctor.check().findings.map(\.rule)
        #expect(found == (files == .logInUse ? [] : [.unknownEntity]))
        doctor.didRead = {}
        #expect(try doctor.check().findings.map(\.rule) == [.unknownEntity])
        withExtendedLifetime(user) {}
    }

    @Test(arguments: Files.allCases) func comparingLeavesTheAppItsStore(_ files: Files) throws {
        let (scratch, user) = try store(files)
        let before = try storeFiles(scratch)
        let result = try ToolProcess.run("modelc-store", ["diff", "a.sqlite", "a.sqlite"], in: scratch.folder)
        #expect(result.code == 0, "\(result.errorOutput)")
        #expect(try ToolProcess.run("modelc-store", ["info", "a.sqlite"], in: scratch.folder).code == 0)
        #expect(try storeFiles(scratch) == before)
        let schema = try #require(try scratch.model())
        let model = try NSManagedObjectModel(try DecodedModel(try EncodedModel(schema).bytes, name: "Model"))
        let contents = try StoreContents(path: scratch.url("a.sqlite").path, model: model, access: .unlocked)
        let rows = try contents.rows(of: "Author", attributes: ["name"], toOne: [])
        #expect(try rows?.next()?.key == 1)
        #expect(contents.isConsistent)
        #expect(try write(Self.move, in: scratch) == 0)
        // What is appended to a log in use belongs to a later state.
        #expect(contents.isConsistent == (files == .logInUse))
        withExtendedLifetime(user) {}
    }

    /// A program that looks whether a store is locked locks out no app that opens it at the same time.
    @Test(arguments: [Files.nothing, .leftoverLog, .logInUse]) func lookingForLocksLocksNobodyOut(_ files: Files) throws
    {
        for _ in 0..<5 {
            let (scratch, user) = try store(files)
            let path = scratch.url("a.sqlite").path
            let before = try storeFiles(scratch)
            #expect(!DatabaseInspection.isLogLocked(path: path))
            #expect(try storeFiles(scratch) == before)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: shell)
            process.arguments = ["-bail", path, "UPDATE ZBOOK SET Z_OPT = 7"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            while process.isRunning { _ = DatabaseInspection.isLogLocked(path: path) }
            #expect(process.terminationStatus == 0)
            withExtendedLifetime(user) {}
        }
    }

    @Test func anExclusiveConnectionToALogIsFound() throws {
        let (scratch, _) = try store(.nothing)
        let path = scratch.url("a.sqlite").path
        do {
            let user = try SeedDatabase(path)
            try user.execute("PRAGMA locking_mode = EXCLUSIVE; UPDATE ZBOOK SET Z_OPT = 3")
            #expect(DatabaseInspection.isLogLocked(path: path))
            withExtendedLifetime(user) {}
        }
        #expect(!DatabaseInspection.isLogLocked(path: path))
    }

    /// Reading a store ends no lock of the process that reads it.
    @Test(arguments: [Files.rollbackMode, .nothing]) func locksOfTheSameProcessStay(_ files: Files) throws {
        let (scratch, _) = try store(files)
        let user = try SeedDatabase(scratch.url("a.sqlite").path)
        try user.execute("BEGIN IMMEDIATE; UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 3")
        // The transaction is not complete, and not in the file.
        #expect(try StoreDoctor(path: scratch.url("a.sqlite").path).check().findings.isEmpty)
        #expect(try write("BEGIN IMMEDIATE; UPDATE ZBOOK SET Z_OPT = 7; COMMIT", in: scratch) != 0)
        try user.execute("COMMIT")
        #expect(try write("UPDATE ZBOOK SET Z_OPT = 7", in: scratch) == 0)
        #expect(try StoreDoctor(path: scratch.url("a.sqlite").path).check().findings.map(\.rule) == [.unknownEntity])
    }

    /// A part of a transaction that is already in the file is never read, nor taken for what a crash has left.
    @Test func aTransactionThatIsBeingWrittenIsWaitedFor() throws {
        let (scratch, _) = try store(.rollbackMode)
        let user = try SeedDatabase(scratch.url("a.sqlite").path)
        let path = scratch.url("a.sqlite").path
        try user.execute("BEGIN IMMEDIATE; UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 3; PRAGMA cache_spill = 1")
        try user.execute(
            """
            PRAGMA cache_size = 1; CREATE TABLE t (x);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO t SELECT zeroblob(4000) FROM n
            """)
        let failure = #expect(throws: StoreDoctor.Failure.self) { try StoreDoctor(path: path).check() }
        #expect(failure?.kind == .locked)
        nonisolated(unsafe) let writer = user
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.2)
            try? writer.execute("ROLLBACK")
        }
        // On a busy machine, the thread may be late by more than the time that the doctor waits.
        var findings: [StoreFinding]?
        for _ in 0..<60 where findings == nil {
            do {
                findings = try StoreDoctor(path: path).check().findings
            } catch {
                guard error.kind == .locked else { throw error }
            }
        }
        #expect(findings?.isEmpty == true)
        #expect(try scratch.files().keys.filter { $0.hasPrefix("a.sqlite") } == ["a.sqlite"])
    }

    /// A large store whose log is emptied again and again is read in a transaction.
    @Test func aLogThatIsEmptiedMeanwhileIsShared() throws {
        let (scratch, user) = try store(.logInUse)
        var rounds = 0
        let sum = try DoctorDatabase.readOneState(of: scratch.url("a.sqlite").path) { database in
            rounds += 1
            try database.begin()
            let authors = try database.integer("SELECT count(*) FROM ZAUTHOR") ?? 0
            let change = "UPDATE ZBOOK SET Z_OPT = \(rounds)"
            #expect(try write("\(change); PRAGMA wal_checkpoint; \(change)", in: scratch) == 0)
            return try authors + (database.integer("SELECT count(*) FROM ZBOOK") ?? 0)
        }
        #expect(sum == 40)
        #expect(rounds == 3)
        withExtendedLifetime(user) {}
    }
}
