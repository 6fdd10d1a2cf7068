import Foundation
import TestSupport
import Testing

@testable import ModelcDriver

/// What may exist at a command's output path.
enum FoundState: String, CaseIterable, Sendable {
    case nothing, regularFile, linkToFile, danglingLink, directory, linkToDirectory, pipe, device, readOnly, fullDisk

    var needsSmallDisk: Bool { self == .readOnly || self == .fullDisk }
}

/// Every argument of every command that names an output, with everything that may exist at that path.
///
/// A command that fails leaves everything unchanged; one that succeeds has written the complete output, has followed
/// links, has replaced only regular files, and has kept their permissions. No temporary file is ever left.
@Suite struct OutputMatrixTests {
    /// The required outcome.
    private enum Outcome {
        case written
        /// Written to the pipe or device.
        case sent
        case rejected
    }

    private static func outcome(_ shape: WritingOption.Shape, _ state: FoundState) -> Outcome {
        switch (shape, state) {
        case (_, .readOnly), (_, .fullDisk), (_, .danglingLink): .rejected
        case (.file, .nothing), (.file, .regularFile), (.file, .linkToFile): .written
        case (.file, .pipe), (.file, .device): .sent
        case (.file, _): .rejected
        case (.rewritten(followsLinks: false), .linkToFile): .rejected
        case (.rewritten, .regularFile), (.rewritten, .linkToFile): .written
        case (.rewritten, _): .rejected
        case (.updated, .nothing), (.updated, .regularFile), (.updated, .linkToFile): .written
        case (.updated, _): .rejected
        case (.folder, .nothing), (.folder, .directory), (.folder, .linkToDirectory): .written
        case (.folder, _): .rejected
        case (.created, .nothing): .written
        case (.created, _): .rejected
        case (.bundle, .nothing): .written
        case (.bundle(let replaces), .directory), (.bundle(let replaces), .linkToDirectory):
            replaces ? .written : .rejected
        case (.bundle, _): .rejected
        }
    }

    /// Every option with every state in the long form; otherwise every shape with every state, and each option with the
    /// states that its users meet and some others.
    private static let combinations: [(WritingOption, FoundState)] = {
        var seen: Set<String> = []
        var combinations: [(WritingOption, FoundState)] = []
        for (index, option) in WritingOption.all.enumerated() {
            for (number, state) in FoundState.allCases.enumerated() where !state.needsSmallDisk {
                let isNew = seen.insert("\(option.shape) \(state)").inserted
                let isCommon = state == .nothing || state == .regularFile
                if runsLongForms || isNew || isCommon || (index + number) % 4 == 0 {
                    combinations.append((option, state))
                }
            }
        }
        return combinations
    }()

    @Test(arguments: combinations)
    func writesOnlyBelowTheOutput(_ option: WritingOption, _ state: FoundState) throws {
        try check(option, state)
    }

    @Test(
        .enabled(if: SmallDisk.isAvailable, "needs the right to mount a file system"), arguments: WritingOption.all,
        [FoundState.readOnly, .fullDisk])
    func changesNothingOnAFullOrReadOnlyDisk(_ option: WritingOption, _ state: FoundState) throws {
        try check(option, state)
    }

    private func check(_ option: WritingOption, _ state: FoundState) throws {
        let scratch = try OutputScratch(isSmallDisk: state.needsSmallDisk)
        let path = try prepare(option, state, scratch)
        let before = try scratch.snapshot()
        let (code, output, errorOutput) = scratch.run(option.line(path))
        let after = try scratch.snapshot()
        let said = Comment(rawValue: "exit \(code)\n\(output)\(errorOutput)")
        #expect(!after.keys.contains { $0.contains("/.modelc-") || $0.hasPrefix(".modelc-") && $0.count == 24 }, said)
        switch Self.outcome(option.shape, state) {
        case .rejected:
            #expect(code != 0, said)
            #expect(!(output + errorOutput).isEmpty)
            #expect(after == before, said)
        case .sent:
            #expect(code == 0, said)
            #expect(after == before, said)
            #expect(try scratch.hasReceived(), said)
        case .written:
            #expect(code == 0, said)
            try checkWritten(option, state, scratch, before, after, said)
        }
    }

    /// Creates the given state at the output path.
    ///
    /// - Returns: The path to pass to the command.
    private func prepare(_ option: WritingOption, _ state: FoundState, _ scratch: OutputScratch) throws -> String {
        let target = option.target
        let url = scratch.url(target)
        let old = try? Data(contentsOf: url)
        let files = FileManager.default
        try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        func clear() { try? files.removeItem(at: url) }
        switch state {
        case .nothing:
            clear()
        case .regularFile, .readOnly, .fullDisk:
            if old == nil { try scratch.write(option.existing, to: target) }
            try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
            if case .folder = option.shape { clear() }
            if case .bundle = option.shape, state != .regularFile { clear() }
            if case .created = option.shape, state != .regularFile { clear() }
            if state == .readOnly { try scratch.lockDisk() }
            if state == .fullDisk { try scratch.fillDisk() }
            if case .folder = option.shape, state == .regularFile { try scratch.write("old", to: target) }
        case .linkToFile:
            try (old ?? Data(option.existing.utf8)).write(to: scratch.url("real"))
            try files.setAttributes([.posixPermissions: 0o604], ofItemAtPath: scratch.url("real").path)
            clear()
            try files.createSymbolicLink(at: url, withDestinationURL: scratch.url("real"))
        case .danglingLink:
            clear()
            try files.createSymbolicLink(at: url, withDestinationURL: scratch.url("nowhere"))
        case .directory:
            clear()
            try files.createDirectory(at: url, withIntermediateDirectories: true)
        case .linkToDirectory:
            clear()
            try files.createDirectory(at: scratch.url("folder"), withIntermediateDirectories: true)
            try files.createSymbolicLink(at: url, withDestinationURL: scratch.url("folder"))
        case .pipe:
            clear()
            try scratch.makePipe(target)
        case .device:
            clear()
            try files.createSymbolicLink(atPath: url.path, withDestinationPath: scratch.makeTerminal())
        }
        return target
    }

    private func checkWritten(
        _ option: WritingOption, _ state: FoundState, _ scratch: OutputScratch, _ before: [String: String],
        _ after: [String: String], _ said: Comment
    ) throws {
        let target = option.target
        switch option.shape {
        case .file, .created, .rewritten, .updated:
            let written = state == .linkToFile ? "real" : target
            #expect(after[written] != before[written], said)
            // Nothing else has changed, not even the link.
            #expect(after.filter { $0.key != written } == before.filter { $0.key != written }, said)
            let mode = after[written]?.prefix(6)
            if state != .nothing { #expect(mode == (state == .linkToFile ? "100604" : "100640"), said) }
        case .folder(let member, _):
            #expect(after["\(state == .linkToDirectory ? "folder" : target)/\(member)"] != nil, said)
            if state == .linkToDirectory { #expect(after[target] == before[target], said) }
        case .bundle:
            let folder = state == .linkToDirectory ? "folder" : target
            #expect(after.keys.contains { $0.hasPrefix(folder + "/") }, said)
            if state == .linkToDirectory { #expect(after[target] == before[target], said) }
        }
        #expect(after["precious"] == before["precious"])
    }

    /// The same for files in a folder: the user names only the folder.
    @Test(
        arguments: WritingOption.all, [FoundState.regularFile, .linkToFile, .danglingLink, .directory, .pipe, .device])
    func writesOnlyRegularFilesInAFolder(_ option: WritingOption, _ state: FoundState) throws {
        guard case .folder(let member, _) = option.shape else { return }
        let scratch = try OutputScratch()
        var inner = option
        inner.target = "\(option.target)/\(member)"
        inner.shape = .file
        _ = try prepare(inner, state, scratch)
        let before = try scratch.snapshot()
        let (code, output, errorOutput) = scratch.run(option.line(option.target))
        let after = try scratch.snapshot()
        let said = Comment(rawValue: "exit \(code)\n\(output)\(errorOutput)")
        #expect(code != 0, said)
        #expect(after == before, said)
    }

    /// A file that the command wrote earlier is replaced if its header says so.
    @Test(arguments: WritingOption.all)
    func replacesFilesItGenerated(_ option: WritingOption) throws {
        guard case .folder(let member, let replaces) = option.shape else { return }
        let scratch = try OutputScratch()
        let path = "\(option.target)/\(member)"
        try #require(scratch.run(option.line(option.target)).code == 0)
        let bytes = try Data(contentsOf: scratch.url(path))
        try (bytes + Data("// edited\n".utf8)).write(to: scratch.url(path))
        try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: scratch.url(path).path)
        let before = try scratch.snapshot()
        let (code, output, errorOutput) = scratch.run(option.line(option.target))
        let said = Comment(rawValue: "exit \(code)\n\(output)\(errorOutput)")
        if replaces {
            #expect(code == 0, said)
            #expect(try Data(contentsOf: scratch.url(path)) == bytes)
            #expect(try scratch.snapshot()[path]?.hasPrefix("100440 ") == true, said)
        } else {
            #expect(code != 0, said)
            #expect(try scratch.snapshot() == before, said)
        }
    }

    /// The table contains every argument of the program: a new one must be added there or declared harmless.
    @Test func theTableCoversEveryArgument() throws {
        struct Dump: Decodable {
            var command: Command
        }
        struct Command: Decodable {
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?
        }
        struct Argument: Decodable {
            struct Name: Decodable {
                var name: String
            }
            var preferredName: Name?
            var valueName: String?
            var kind: String
            var shouldDisplay: Bool
        }
        let text = try OutputScratch().run(["--experimental-dump-help"]).output
        let dump = try JSONDecoder().decode(Dump.self, from: Data(text.utf8))
        var known: [String: Set<String>] = [:]
        func collect(_ command: Command, _ path: [String]) {
            known[path.joined(separator: " "), default: []].formUnion(
                (command.arguments ?? []).filter { $0.shouldDisplay || $0.preferredName?.name == "help" }.compactMap {
                    $0.kind == "positional" ? $0.valueName : $0.preferredName?.name
                })
            for inner in command.subcommands ?? [] { collect(inner, path + [inner.commandName]) }
        }
        collect(dump.command, [])
        var listed = WritingOption.harmless
        for option in WritingOption.all { listed[option.command, default: []].insert(option.argument) }
        #expect(known == listed)
    }

    /// Input files are not overwritten, however their paths are spelled.
    @Test(arguments: [
        ["compile", "Shop.xcdatamodeld", ""], ["compile", "Shop.xcdatamodeld", "Shop.xcdatamodeld"],
        ["compile", "Shop.xcdatamodeld", "Shop.xcdatamodeld/Shop.momd"],
        ["compile", "Shop.xcdatamodeld", "link/Shop.momd"],
        ["compile", "Shop.xcdatamodeld/Shop.xcdatamodel", "Shop.xcdatamodeld/Shop.mom"],
        ["compile", "Shop.xcdatamodeld", "new/../Shop.xcdatamodeld/Shop.momd"], ["momc", "Shop.xcdatamodeld", ""],
        ["momc", "Shop.xcdatamodeld", "link/"], ["decompile", "Compiled.momd", "Compiled.momd/New.xcdatamodeld"],
        ["decompile", "Compiled.momd", ""], ["generate", "Shop.xcdatamodeld", "-o", "Shop.xcdatamodeld"],
        ["generate", "Shop.xcdatamodeld", "-o", "link/New"],
        ["momc", "--action", "generate", "Shop.xcdatamodeld", "link"],
        ["graph", "Shop.xcdatamodeld", "-o", "Shop.xcdatamodeld/Shop.xcdatamodel/contents"],
        ["graph", "Shop.xcdatamodeld", "-o", ""], ["graph", "Compiled.momd", "-o", "Compiled.momd/picture"],
        ["lint", "--reporter", "json=link/Shop.xcdatamodel/contents"], ["lint", "--reporter", "json="],
        ["lint", "--write-baseline", "Bad.xcdatamodel/contents"], ["lint", "--write-baseline", ""],
        ["graph", "Shop.xcdatamodeld", "-o", "precious"], ["lint", "--write-baseline", "precious"],
        ["breaking", "Shop.xcdatamodeld", "--against", "Compiled.momd", "--write-baseline", "Models.swift"],
        ["templates", "eject", ""], ["build-target", "--module", "M", "--model", "Shop.xcdatamodeld", "-o", "link"],
        ["build-target", "--module", "M", "--model", "Shop.xcdatamodeld", "-o", ""],
    ])
    func doesNotOverwriteItsInput(_ arguments: [String]) throws {
        let scratch = try OutputScratch()
        try FileManager.default.createSymbolicLink(
            at: scratch.url("link"), withDestinationURL: scratch.url("Shop.xcdatamodeld"))
        let before = try scratch.snapshot()
        let (code, output, errorOutput) = scratch.run(arguments)
        #expect(code == (arguments[0] == "momc" ? 1 : 2), "\(output)\(errorOutput)")
        #expect(try scratch.snapshot() == before)
    }
}
