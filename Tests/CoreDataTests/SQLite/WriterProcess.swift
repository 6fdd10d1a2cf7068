import CoreData
import Testing

/// The program `StoreWriter`, which writes into a store as another process.
final class WriterProcess {
    private let process = Process()
    private let pipe = Pipe()
    private let input = Pipe()
    private var rest = Data()

    init(_ arguments: String...) throws {
        // Executables stand beside the tests.
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("StoreWriter")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardInput = input
        try process.run()
    }

    /// Kills the program after a time, and gives what it has said.
    func kill(after seconds: Double) -> [String] {
        Thread.sleep(forTimeInterval: seconds)
        Foundation.kill(process.processIdentifier, SIGKILL)
        return finish().lines
    }

    /// Lines until one begins with a word, which is the last; until the end if none does.
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

    /// Lets a program go on that waits.
    func goOn() {
        input.fileHandleForWriting.write(Data("\n".utf8))
    }

    /// Waits until the program ends.
    func finish() -> (code: Int32, lines: [String]) {
        let output = rest + pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A line that was cut off says nothing.
        let text = String(decoding: output, as: UTF8.self)
        return (process.terminationStatus, text.components(separatedBy: "\n").dropLast().map { $0 })
    }

    /// The model that the program uses, as the file has it.
    static func model(of url: URL, in folder: URL) throws -> NSManagedObjectModel {
        let archive = try TestStore.modelArchive(url)
        let file = folder.appendingPathComponent("Model-\(UUID().uuidString).mom")
        try archive.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try #require(NSManagedObjectModel(contentsOf: file))
    }

    // MARK: What it has left

    /// Checks that a store holds all groups that the program has said it has saved, each as a whole, and perhaps one more.
    static func check(_ store: TestStore, _ last: Int) throws {
        let context = try store.open(model: model(of: store.url, in: FileManager.default.temporaryDirectory))
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            let groups = try context.fetch(request)
            // One more may have been saved and not reported.
            #expect(groups.count == last || groups.count == last + 1)
            #expect(groups.map { $0.value(forKey: "number") as? Int } == Array(1...max(groups.count, 1)))
            for group in groups {
                let number = try #require(group.value(forKey: "number") as? Int)
                let items = try #require(group.value(forKey: "items") as? NSOrderedSet)
                #expect(items.count == (number <= groups.count - 20 ? 0 : 3), "\(number) of \(groups.count)")
                for case let item as NSManagedObject in items {
                    // The files beside the store are there, as they were written.
                    let content = try #require(item.value(forKey: "content") as? Data)
                    #expect(Set(content) == [UInt8(truncatingIfNeeded: number)])
                    #expect(content.count > 100_000 || number > groups.count - 5)
                }
            }
        }
        try TestStore.close(context)
        #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
    }

    /// The names of the files that rows refer to, and those of the files that are there.
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
