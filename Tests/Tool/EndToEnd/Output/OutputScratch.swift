import Foundation
import ModelcDriver
import Testing

/// A folder with input for every command, and with files that may exist at a command's output path.
final class OutputScratch {
    let folder: URL
    private let disk: SmallDisk?
    private var reader: StreamReader?

    /// - Parameters:
    ///   - isSmallDisk: Whether the folder is a separate file system, which can be full or read-only.
    ///   - compiles: Whether the folder has compiled models.
    init(isSmallDisk: Bool = false, compiles: Bool = true) throws {
        if isSmallDisk {
            let disk = try SmallDisk(bytes: 4 << 20)
            self.disk = disk
            folder = disk.folder
        } else {
            disk = nil
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try write(Self.model(isSound: true), to: "Shop.xcdatamodeld/Shop.xcdatamodel/contents")
        try write(Self.model(isSound: false), to: "Bad.xcdatamodel/contents")
        // An earlier state of the models with which they are not compatible.
        try write(
            "<model><entity name=\"Order\"><attribute name=\"number\" attributeType=\"Binary\"/></entity></model>",
            to: "Changed.xcdatamodel/contents")
        for (version, type) in [("V1", "String"), ("V2", "Binary")] {
            try write(
                "<model><entity name=\"Order\"><attribute name=\"number\" optional=\"YES\" attributeType=\"\(type)\"/>"
                    + "</entity></model>",
                to: "Versions.xcdatamodeld/\(version).xcdatamodel/contents")
        }
        try write(
            "<model><entity name=\"Order\"><attribute name=\"number\" optional=\"YES\" attributeType=\"String\"/>"
                + "</entity></model>",
            to: "Mirrored.xcdatamodel/contents")
        try write("DEFINE SCHEMA RECORD TYPE CD_Order (CD_entityName STRING, CD_number STRING);", to: "old.ckdb")
        try write(Self.model(isSound: false), to: "base")
        try write(Self.model(isSound: false), to: "ours")
        try write(Self.model(isSound: true), to: "theirs")
        try write(Self.mapping, to: "Mapping.xcmappingmodel/xcmapping.xml")
        try write("import SwiftData\n\n@Model final class Order { var number: String? }\n", to: "Models.swift")
        try write(
            "enum V1: VersionedSchema { static let models: [any PersistentModel.Type] = [Order.self]\n"
                + "@Model class Order { var number: String? } }\n",
            to: "Versions.swift")
        try write("precious", to: "precious")
        try write("# An old lock, without a line.\n", to: "modelc.lock")
        try write(Self.manifest, to: "Package/Package.swift")
        try write("import CoreData\n", to: "Package/Sources/App/App.swift")
        try write(
            "<model><entity name=\"Item\"/></model>",
            to: "Package/Sources/App/App.xcdatamodeld/App.xcdatamodel/contents")
        if compiles { for (path, data) in try Self.compiled.get() { try write(data, to: path) } }
    }

    /// The compiled inputs by path. They are compiled once for the folders of all tests.
    private static let compiled: Result<[String: Data], any Error> = Result {
        let scratch = try OutputScratch(compiles: false)
        let inputs = try Set(scratch.snapshot().keys)
        try #require(scratch.run(["compile", "Shop.xcdatamodeld", "Compiled.momd", "-q"]).code == 0)
        try #require(scratch.run(["compile", "Mapping.xcmappingmodel", "-q"]).code == 0)
        let paths = try scratch.snapshot().filter { $1.hasPrefix("100") && !inputs.contains($0) }.keys
        return try Dictionary(uniqueKeysWithValues: paths.map { ($0, try Data(contentsOf: scratch.url($0))) })
    }

    deinit {
        if disk == nil { try? FileManager.default.removeItem(at: folder) }
    }

    /// A manifest to which `prepare-for-linux` adds something.
    private static let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(name: "App", targets: [.target(name: "App")])

        """

    /// Returns a model. One that is not sound is not formatted, and has a fixable finding.
    static func model(isSound: Bool) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
        systemVersion="23C71" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
        userDefinedModelVersionIdentifier="">\(isSound ? "" : "\n")
            <entity name="Customer" representedClassName="Customer" syncable="YES" codeGenerationType="class">
                <relationship name="orders" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
            </entity>
            <entity name="Order" representedClassName="Order" syncable="YES" codeGenerationType="class">
                <attribute name="number" optional="YES" attributeType="Integer 32" defaultValueString="0" \
        usesScalarValueType="YES"\(isSound ? "" : " indexed=\"YES\"")/>
                <relationship name="customer" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Customer" inverseName="orders" inverseEntity="Customer"/>
                <fetchIndex name="byNumber">
                    <fetchIndexElement property="number" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
        </model>
        """
    }

    /// A mapping model from the sound model to itself.
    private static let mapping = """
        <database>
            <object type="XDDEVMAPPINGMODEL" id="z1">
                <attribute name="sourcemodelpath" type="string">Shop.xcdatamodeld/Shop.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">Shop.xcdatamodeld/Shop.xcdatamodel</attribute>
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z2">
                <attribute name="sourcename" type="string">Order</attribute>
                <attribute name="destinationname" type="string">Order</attribute>
                <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z1"></relationship>
            </object>
        </database>
        """

    func url(_ path: String) -> URL {
        path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)
    }

    func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

    private func write(_ data: Data, to path: String) throws {
        try FileManager.default.createDirectory(
            at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url(path))
    }

    /// Runs the program in the folder.
    func run(_ arguments: [String]) -> (code: Int32, output: String, errorOutput: String) {
        let recorder = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: folder.path), output: { recorder.output += $0 },
            errorOutput: { recorder.errorOutput += $0 }, usesColor: false)
        let code = Modelc.run(arguments: arguments, in: environment).rawValue
        return (code, recorder.output, recorder.errorOutput)
    }

    private final class Recorder {
        var output = ""
        var errorOutput = ""
    }

    // MARK: What is found

    /// Creates a pipe with a reader.
    func makePipe(_ path: String) throws {
        try #require(mkfifo(url(path).path, 0o600) == 0)
        reader = StreamReader(open(url(path).path, O_RDONLY | O_NONBLOCK))
    }

    /// Returns a device, the other end of a terminal. Nothing can be replaced in its file system.
    func makeTerminal() throws -> String {
        #if os(Linux)
        // Same as posix_openpt and related functions, which the C library's header does not expose to Swift.
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        reader = StreamReader(terminal)
        var (lock, number): (Int32, Int32) = (0, -1)
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        try #require(terminal >= 0 && ioctl(terminal, setLock, &lock) == 0 && ioctl(terminal, getNumber, &number) == 0)
        return "/dev/pts/\(number)"
        #else
        let terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0)
        reader = StreamReader(terminal)
        return String(cString: try #require(ptsname(terminal)))
        #endif
    }

    /// Returns whether anything was written to the pipe or terminal.
    func hasReceived() throws -> Bool { try #require(reader).hasReceived() }

    func fillDisk() throws { try #require(disk).fill() }
    func lockDisk() throws { try #require(disk).lock() }

    /// Returns the content of the folder: types, permissions, contents and destinations of links.
    func snapshot() throws -> [String: String] {
        var result: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path != SmallDisk.ballast {
            var status = stat()
            try #require(lstat(url(path).path, &status) == 0)
            var text = String(status.st_mode, radix: 8)
            switch status.st_mode & S_IFMT {
            case S_IFREG: text += " " + String(decoding: try Data(contentsOf: url(path)), as: UTF8.self)
            case S_IFLNK: text += " -> " + (try FileManager.default.destinationOfSymbolicLink(atPath: url(path).path))
            default: break
            }
            result[path] = text
        }
        return result
    }
}

/// A reader of a descriptor in the background, so that its writer need not wait; it closes the descriptor.
final class StreamReader: @unchecked Sendable {
    private let condition = NSCondition()
    private var count = 0
    private var isEnding = false

    init(_ descriptor: Int32) {
        let thread = Thread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while let self, !self.isEnded {
                let got = Foundation.read(descriptor, &buffer, buffer.count)
                if got > 0 { self.add(got) } else { usleep(1000) }
            }
            close(descriptor)
        }
        thread.start()
    }

    deinit {
        condition.withLock { isEnding = true }
    }

    private var isEnded: Bool { condition.withLock { isEnding } }

    private func add(_ number: Int) {
        condition.withLock {
            count += number
            condition.broadcast()
        }
    }

    /// Waits for the first byte, which a terminal delivers after a moment.
    func hasReceived() -> Bool {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 60)
            while count == 0, condition.wait(until: deadline) {}
            return count > 0
        }
    }
}

/// A small in-memory file system, which can be full or read-only. It is unmounted with the object.
final class SmallDisk {
    static let ballast = "Ballast"
    let folder: URL

    struct Failure: Error {}

    init(bytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", folder.path)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        try? Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether the tests can mount file systems on this machine.
    static let isAvailable: Bool = {
        #if os(Linux)
        return (try? SmallDisk(bytes: 1 << 16)) != nil
        #else
        return false
        #endif
    }()

    /// Fills the disk completely.
    func fill() throws {
        let descriptor = open(folder.appendingPathComponent(Self.ballast).path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        for size in [1 << 16, 1 << 12, 1] {
            let block = [UInt8](repeating: 0, count: size)
            while Foundation.write(descriptor, block, size) == size {}
        }
    }

    /// Makes the disk read-only. While a process that another test starts still has a copy of a descriptor that is open
    /// for writing, the system refuses it.
    func lock() throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            do {
                return try Self.run("mount", "-o", "remount,ro", folder.path)
            } catch  where Date() < deadline {
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }
}
