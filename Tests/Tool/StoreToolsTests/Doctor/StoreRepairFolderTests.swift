import Foundation
import ModelcDriver
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// The files of commands that change stores: what they write in place, read as one state, and leave behind.
@Suite struct StoreRepairFolderTests {
    // MARK: In place

    /// An app that has opened the file before the repair, and gets the lock after it, works with the repaired store.
    @Test(arguments: [["repair", "--no-backup"], ["compact", "--rebuild"]], ["WAL", "DELETE"])
    func aWaitingAppKeepsTheStore(command: [String], mode: String) throws {
        let scratch = try StoreScratch.people()
        try scratch.execute("PRAGMA journal_mode = \(mode)", in: "a.sqlite")
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        let app = try SeedDatabase(scratch.url("a.sqlite").path)
        let arguments = ["a.sqlite", "--in-place"] + command.dropFirst()
        let code = command[0] == "repair" ? scratch.repair(arguments) : scratch.compact(arguments)
        #expect(code == 0, "\(scratch.errorOutput)")
        try app.execute("UPDATE ZDEPARTMENT SET ZNAME = 'by the app'")
        let other = try SeedDatabase(scratch.url("a.sqlite").path)
        #expect(try other.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try other.integer("SELECT count(*) FROM ZDEPARTMENT WHERE ZNAME = 'by the app'") == 40)
        let version = try other.integer("SELECT Z_OPT FROM ZPERSON WHERE Z_PK = 1")
        #expect(version == (command[0] == "repair" ? 1 : nil))
        #expect(try other.texts("PRAGMA journal_mode") == [mode.lowercased()])
        #expect(!(try scratch.files().keys.contains { $0.contains(".modelc-") }))
    }

    /// A backup can be in a folder that is not the store's, and a failure changes nothing, not even the log.
    @Test func aBackupIsMadeInItsFolderAndAFailureKeepsTheLog() throws {
        let scratch = try StoreScratch.people()
        let live = try SeedDatabase(scratch.url("a.sqlite").path)
        try live.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: scratch.url("a.sqlite").path + suffix, toPath: scratch.url("c.sqlite").path + suffix)
        }
        try FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".c_SUPPORT"))
        let before = try scratch.files().filter { $0.key.hasPrefix("c.sqlite") }
        #expect(before["c.sqlite-wal"]?.isEmpty == false)
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", "none/backup.sqlite") == 2)
        #expect(try scratch.files().filter { before[$0.key] != nil } == before)
        #expect(!FileManager.default.fileExists(atPath: scratch.url("none").path))
        // Another file system, where there is one.
        let folder = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : scratch.folder.path
        let backup = "\(folder)/modelc-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        #expect(scratch.repair("c.sqlite", "--in-place", "--backup", backup) == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(backup).integer("SELECT count(*) FROM ZPERSON WHERE Z_OPT IS NULL") == 1)
        #expect(try scratch.count("ZPERSON WHERE Z_OPT IS NULL", in: "c.sqlite") == 0)
    }

    // MARK: Copies

    /// A file that changes while it is read without a lock is read again.
    @Test func copiesAreOfOneState() throws {
        let scratch = try StoreScratch.people()
        let path = scratch.url("a.sqlite").path
        var rounds = 0
        try DoctorDatabase.readOneState(of: path) { _ in
            rounds += 1
            if rounds == 1 { try scratch.execute("UPDATE ZTAG SET Z_OPT = 5", in: "a.sqlite") }
        }
        #expect(rounds == 2)
        rounds = 0
        #expect(throws: StoreDoctor.Failure.self) {
            try DoctorDatabase.readOneState(of: path) { _ in
                rounds += 1
                try scratch.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1", in: "a.sqlite")
            }
        }
        #expect(rounds > 2)
    }

    /// A check and a plan are of one state, too.
    @Test func checksAndPlansAreOfOneState() throws {
        let scratch = try StoreScratch.people()
        let path = scratch.url("a.sqlite").path
        func change() {
            try? scratch.execute("DELETE FROM ZTAG WHERE Z_PK = (SELECT max(Z_PK) FROM ZTAG)", in: "a.sqlite")
        }
        let count = try #require(try scratch.count("ZTAG", in: "a.sqlite"))
        var doctor = StoreDoctor(path: path)
        var rounds = 0
        doctor.didRead = {
            rounds += 1
            if rounds == 1 { change() }
        }
        let summary = try #require(try doctor.check().summary)
        #expect(rounds == 2)
        #expect(summary.entities.first { $0.name == "Tag" }?.rows == count - 1)
        rounds = 0
        #expect(try doctor.summary().entities.first { $0.name == "Tag" }?.rows == count - 2)
        #expect(rounds == 2)
        rounds = 0
        _ = try CompactionPlan(path: path, isInPlace: true, CompactionPlan.Options()) {
            rounds += 1
            if rounds == 1 { change() }
        }
        #expect(rounds == 2)
        doctor.didRead = change
        #expect(throws: StoreDoctor.Failure.self) { try doctor.check() }
        #expect(throws: StoreDoctor.Failure.self) {
            try CompactionPlan(path: path, isInPlace: true, CompactionPlan.Options(), didRead: change)
        }
    }

    // MARK: Leftovers

    /// Every command that writes removes what killed runs have left, except what a run still uses, and what may be the
    /// only copy of something.
    @Test(arguments: [
        ["repair", "a.sqlite", "--output", "b.sqlite"], ["repair", "a.sqlite", "--in-place", "--no-backup"],
        ["compact", "a.sqlite", "--output", "b.sqlite"], ["recover", "a.sqlite", "--output", "b.sqlite"],
        ["export", "a.sqlite", "--output", "out"], ["export", "a.sqlite", "--format", "sqlite", "--output", "out.db"],
    ])
    func leftoversOfKilledRunsAreRemoved(_ command: [String]) throws {
        let scratch = try StoreScratch.people(rows: 3)
        // After the names that stay, those that go.
        let names = (0..<8).map { ".modelc-000000000000000\($0)" }
        try scratch.write(Data("x".utf8), to: "\(names[0])/.modelc-retired/missing")
        // The replacement has not left the folder.
        try scratch.write(Data("x".utf8), to: "\(names[1])/.modelc-retired/a.sqlite")
        try scratch.write(Data("x".utf8), to: "\(names[1])/a.sqlite")
        try scratch.write(Data("x".utf8), to: "\(names[2])/a.sqlite")
        // A file of an export that is being written, where folders cannot be locked.
        try scratch.write(Data("x".utf8), to: "\(names[3])/export/Book.jsonl")
        try scratch.write(Data("x".utf8), to: "\(names[4])/a.sqlite")
        // Killed after the replacement was put in its place, and before anything was moved away.
        try scratch.write(Data("x".utf8), to: "\(names[5])/.modelc-retired/a.sqlite/values")
        try scratch.write(Data("x".utf8), to: "\(names[6])/.modelc-retired/Model.xcdatamodel/old/file")
        try FileManager.default.createDirectory(
            at: scratch.url("\(names[7])/.modelc-retired"), withIntermediateDirectories: true)
        for name in try FileManager.default.subpathsOfDirectory(atPath: scratch.folder.path) {
            guard name.hasPrefix(".modelc-"), !name.hasSuffix(".jsonl") else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: scratch.url(name).path)
        }
        let lock = try POSIXFileSystem().lock(folder: scratch.url(names[2]).path)
        let arguments = Array(command.dropFirst())
        let code =
            switch command[0] {
            case "repair": scratch.repair(arguments)
            case "compact": scratch.compact(arguments)
            case "recover": scratch.recover(arguments[0], arguments[1], arguments[2])
            default: scratch.export(arguments)
            }
        #expect(code == 0, "\(scratch.errorOutput)")
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(left.filter { $0.hasPrefix(".modelc-") }.sorted() == Array(names[..<4]))
        withExtendedLifetime(lock) {}
    }
}
