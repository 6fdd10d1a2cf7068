import CoreData
import Testing

/// The program `StoreWriter`, which writes to a store in another process.
final class WriterProcess {
    private let process = Process()
    private let pipe = Pipe()
    private let input = Pipe()
    private var rest = Data()

    init(_ arguments: String...) throws {
        // Executables are next to the tests.
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("StoreWriter")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardInput = input
        try process.run()
    }

    /// Creates a store with the program's model and at least one group.
    static func fill(_ store: TestStore) throws {
        let writer = try WriterProcess("write", store.url.path)
        // The program reports each save.
        _ = writer.nextLine()
        _ = writer.kill(after: 0)
    }

    /// Kills the program after a time, and returns its output.
    func kill(after seconds: Double) -> [String] {
        Thread.sleep(forTimeInterval: seconds)
        Foundation.kill(process.processIdentifier, SIGKILL)
        return finish().lines
    }

    /// Returns the lines up to and including the first that begins with a word, or all lines if none does.
    func lines(until word: String) -> [String] {
        var lines: [String] = []
        while lines.last?.hasPrefix(word) != true {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")), lines.last?.hasPrefix(word) != true {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
            guard lines.last?.hasPrefix(word) != true else { break }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            rest += more
        }
        return lines
    }

    /// Lets a waiting program continue.
    func goOn() { send("") }

    /// Writes a line to the program's input.
    func send(_ line: String) {
        // Writing to a program that has ended would end the tests.
        guard process.isRunning else { return }
        input.fileHandleForWriting.write(Data("\(line)\n".utf8))
    }

    /// Ends the program's input.
    func close() { try? input.fileHandleForWriting.close() }

    /// Returns the next line of output; nil at its end.
    func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }

    /// Waits until the program exits.
    func finish() -> (code: Int32, lines: [String]) {
        let output = rest + pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // Ignore a truncated line.
        let text = String(decoding: output, as: UTF8.self)
        return (process.terminationStatus, text.components(separatedBy: "\n").dropLast().map { $0 })
    }

    /// Returns the program's model from the file.
    static func model(of url: URL, in folder: URL) throws -> NSManagedObjectModel {
        let archive = try TestStore.modelArchive(url)
        let file = folder.appendingPathComponent("Model-\(UUID().uuidString).mom")
        try archive.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try #require(NSManagedObjectModel(contentsOf: file))
    }

    // MARK: What it has left

    /// Checks that a store contains all groups that the program has reported as saved, each of them complete, and
    /// possibly one more.
    static func check(_ store: TestStore, _ last: Int) throws {
        let context = try store.open(model: model(of: store.url, in: FileManager.default.temporaryDirectory))
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            let groups = try context.fetch(request)
            // One more may have been saved but not reported.
            #expect(groups.count == last || groups.count == last + 1)
            #expect(groups.map { $0.value(forKey: "number") as? Int } == Array(1...max(groups.count, 1)))
            for group in groups {
                let number = try #require(group.value(forKey: "number") as? Int)
                let items = try #require(group.value(forKey: "items") as? NSOrderedSet)
                #expect(items.count == (number <= groups.count - 20 ? 0 : 3), "\(number) of \(groups.count)")
                for case let item as NSManagedObject in items {
                    // The files next to the store exist, as they were written.
                    let content = try #require(item.value(forKey: "content") as? Data)
                    #expect(Set(content) == [UInt8(truncatingIfNeeded: number)])
                    #expect(content.count > 100_000 || number > groups.count - 5)
                }
            }
        }
        try TestStore.close(context)
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
    }

    /// Returns the names of the files that rows refer to, and those of existing files.
    static func externalFiles(_ store: TestStore) throws -> (named: [String], there: [String]) {
        // A mark, a UUID and a zero byte.
        let named = try store.database().rows(
            "SELECT CAST(substr(ZCONTENT, 2, 36) AS TEXT) FROM ZITEM "
                + "WHERE length(ZCONTENT) = 38 AND hex(substr(ZCONTENT, 1, 1)) = '02' ORDER BY 1")
        let prefix = ".Store_SUPPORT/_EXTERNAL_DATA/"
        let there = try store.files().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return (named.compactMap { $0[0] }, there)
    }
}
