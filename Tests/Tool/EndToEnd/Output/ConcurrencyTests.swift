import Foundation
import TestSupport
import Testing

/// Processes that write to the same path concurrently, and processes that are terminated by signals.
@Suite struct ConcurrencyTests {
    private let scratch: OutputScratch
    private let entityCount = 100

    init() throws {
        scratch = try OutputScratch()
        let entities = (0..<entityCount).map {
            "<entity name=\"E\($0)\" representedClassName=\"E\($0)\" codeGenerationType=\"class\"/>"
        }
        try scratch.write("<model>\(entities.joined())</model>", to: "Large.xcdatamodel/contents")
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.url(folder).path).sorted()
    }

    @Test func successfulRunsLeaveAllTheirFiles() throws {
        for round in 0..<2 {
            let processes = (0..<4).map { _ in
                ModelcProcess(["generate", "Large.xcdatamodel", "-o", "Deep/Out\(round)"], in: scratch.folder)
            }
            for process in processes { try process.start() }
            for process in processes {
                let result = process.finish()
                #expect(result.code == 0, "\(result.errorOutput)")
                #expect(try names("Deep/Out\(round)").count == 2 * entityCount + 1)
            }
            #expect(try names("Deep/Out\(round)").allSatisfy { $0.hasSuffix(".swift") })
            let check = try ModelcProcess.run(
                ["generate", "Large.xcdatamodel", "-o", "Deep/Out\(round)", "--check"], in: scratch.folder)
            #expect(check.code == 0)
        }
    }

    /// Writing different bytes to one folder yields the files of one of the processes, not a mixture.
    @Test func concurrentRunsDoNotMixTheirFiles() throws {
        let styles = [["--access", "public"], ["--access", "internal"]]
        for _ in 0..<2 {
            let processes = (0..<4).map { index in
                ModelcProcess(
                    ["generate", "Large.xcdatamodel", "-o", "Out"] + styles[index % 2], in: scratch.folder)
            }
            for process in processes { try process.start() }
            for process in processes { #expect(process.finish().code == 0) }
            let codes = try styles.map {
                try ModelcProcess.run(
                    script: "exec \"$@\" > /dev/null",
                    ["generate", "Large.xcdatamodel", "-o", "Out", "--check", "-q"] + $0, in: scratch.folder
                ).code
            }
            #expect(codes.sorted() == [0, 1])
        }
    }

    @Test func concurrentCompilersOfOneBundleTakeTurns() throws {
        let expected = try names("Compiled.momd")
        for round in 0..<2 {
            let processes = (0..<6).map { index in
                ModelcProcess(
                    ["compile", "Shop.xcdatamodeld", "New\(round)/Books.momd"]
                        + (index % 2 == 0 ? [] : ["--module", "M"]),
                    in: scratch.folder)
            }
            for process in processes { try process.start() }
            for process in processes {
                let result = process.finish()
                #expect(result.code == 0, "\(result.errorOutput)")
                #expect(try names("New\(round)/Books.momd") == expected)
            }
            #expect(try names("New\(round)") == ["Books.momd"])
        }
    }

    /// Signals at random times. `MODELC_SEED` replays them; `MODELC_KILLS` sets their number.
    @Test func aSignalLeavesAllFilesOrNone() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MODELC_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        // Measure the duration of a run, so that signals are sent at all of its stages.
        let begin = DispatchTime.now().uptimeNanoseconds
        _ = try ModelcProcess.run(["generate", "Large.xcdatamodel", "-o", "Whole"], in: scratch.folder)
        let duration = (DispatchTime.now().uptimeNanoseconds - begin) / 1000
        let whole = try names("Whole")
        for round in 0..<(environment["MODELC_KILLS"].flatMap { Int($0) } ?? 12) {
            let signal = [SIGINT, SIGTERM, SIGHUP][round % 3]
            let folder = "Killed/Out\(round)"
            let process = ModelcProcess(["generate", "Large.xcdatamodel", "-o", folder], in: scratch.folder)
            try process.start()
            if Bool.random(using: &random) {
                // From here on, files are written, which takes only part of the time.
                let made = scratch.url(folder).path
                while process.isRunning, !FileManager.default.fileExists(atPath: made) { usleep(100) }
                usleep(UInt32.random(in: 0...UInt32(truncatingIfNeeded: duration / 4), using: &random))
            } else {
                usleep(UInt32.random(in: 0...UInt32(truncatingIfNeeded: duration), using: &random))
            }
            process.send(signal)
            let code = process.finish().code
            #expect([0, 128 + signal].contains(code), "MODELC_SEED=\(seed)")
            let exists = FileManager.default.fileExists(atPath: scratch.url(folder).path)
            #expect(try exists ? names(folder) == whole : code != 0, "MODELC_SEED=\(seed), round \(round)")
        }
    }

}
