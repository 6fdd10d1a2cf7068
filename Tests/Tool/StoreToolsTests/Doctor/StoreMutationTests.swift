import Foundation
import TestSupport
import Testing

@testable import StoreTools

/// Whatever the bytes of a store are, no command crashes, hangs or changes the original.
@Suite struct StoreMutationTests {
    @Test(.randomized) func mutatedStoresDoNotStopTheCommands() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 30) == 0)
        // With a history, in which repairs are recorded.
        let names = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
        try scratch.execute(
            StoreRepairSafetyTests.history
                + names.map { "ALTER TABLE ATRANSACTION ADD COLUMN \($0) INTEGER; " }.joined()
                + "ALTER TABLE ACHANGE ADD COLUMN ZCOLUMNS BLOB; PRAGMA secure_delete = 0; "
                + "DELETE FROM ZTAG WHERE Z_PK % 3 = 0", in: "a.sqlite")
        let clean = try Data(contentsOf: scratch.url("a.sqlite"))
        Seeds.run(rounds: 6) { generator, log in
            var generator = generator
            var bytes = clean
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let count = [1, 2, 4, 100, 4096].randomElement(using: &generator) ?? 1
                // Headers of pages decide how everything else is read.
                let page = Int.random(in: 0..<bytes.count / 4096, using: &generator) * 4096
                let offset = min(
                    page
                        + (Bool.random(using: &generator)
                            ? Int.random(in: 0..<120, using: &generator)
                            : Int.random(in: 0..<4096, using: &generator)),
                    bytes.count - count)
                let value = UInt8.random(in: 0...255, using: &generator)
                for index in 0..<count {
                    bytes[offset + index] = count > 4 ? value : UInt8.random(in: 0...255, using: &generator)
                }
                log.append("\(count) bytes at \(offset)")
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
            }
            for name in [
                "m.sqlite", "out.sqlite", "out", ".out_SUPPORT", "m.sqlite-wal", "m.sqlite-shm", "m.sqlite-journal",
                "rows",
            ] {
                try? FileManager.default.removeItem(at: scratch.url(name))
            }
            try bytes.write(to: scratch.url("m.sqlite"))
            if Bool.random(using: &generator) {
                // A log with any bytes.
                var frames = Data([0x37, 0x7F, 0x06, 0x82, 0, 0x2D, 0xE2, 0x18, 0, 0, 0x10, 0])
                for _ in 0..<Int.random(in: 20...9000, using: &generator) {
                    frames.append(UInt8.random(in: 0...255, using: &generator))
                }
                try frames.write(to: scratch.url("m.sqlite-wal"))
            }
            let codes: Set<Int32> = [0, 1, 2]
            func run(_ code: Int32, _ name: String) throws {
                guard codes.contains(code) else { throw Unexpected(description: "\(name): \(code)") }
                guard try Data(contentsOf: scratch.url("m.sqlite")) == bytes else {
                    throw Unexpected(description: "\(name) has changed the store")
                }
                for name in ["out.sqlite", ".out_SUPPORT", "out"] {
                    try? FileManager.default.removeItem(at: scratch.url(name))
                }
            }
            try run(scratch.check("m.sqlite", "--notes"), "check")
            try run(scratch.check("m.sqlite", "--model", "Model.xcdatamodel", "--quick"), "check --model")
            try run(scratch.info("m.sqlite"), "info")
            for format in ["jsonl", "csv", "sqlite", "views"] {
                try run(scratch.export("m.sqlite", "--format", format, "--output", "out"), "export \(format)")
            }
            try run(
                scratch.export(
                    "m.sqlite", "--relationships", "nested", "--model", "Model.xcdatamodel", "--output", "-"),
                "export --relationships nested")
            try run(scratch.recover("m.sqlite", "--output", "out.sqlite"), "recover")
            try run(scratch.recover("m.sqlite", "--deleted", "--versions", "--output", "rows"), "recover --deleted")
            try run(
                scratch.recover("m.sqlite", "--model", "Model.xcdatamodel", "--output", "out.sqlite"), "recover --model"
            )
            try run(scratch.repair("m.sqlite", "--output", "out.sqlite", "--unsafe-fixes"), "repair")
            try run(scratch.compact(["m.sqlite", "--output", "out.sqlite", "--purge-history", "all"]), "compact")
            // In place, the bytes may change.
            for code in [
                scratch.repair("m.sqlite", "--in-place", "--no-backup", "--unsafe-fixes"),
                scratch.compact(["m.sqlite", "--in-place", "--purge-history", "all"]),
            ] where !codes.contains(code) {
                throw Unexpected(description: "in place: \(code)")
            }
            // In the short form, other tests use memory at the same time.
            guard Seeds.seconds != nil, let peak = try Self.peakMemory(), peak > 500_000 else { return }
            throw Unexpected(description: "\(peak) kB of memory")
        }
    }

    /// Returns the maximum resident size of the process in kB.
    private static func peakMemory() throws -> Int? {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }

    private struct Unexpected: Error, CustomStringConvertible {
        var description: String
    }
}
