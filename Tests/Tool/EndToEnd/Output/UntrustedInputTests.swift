import Foundation
import Testing

@testable import ModelcDriver

/// Models, folders and arguments with malicious names.
@Suite struct UntrustedInputTests {
    private static let hostile = "N\u{1B}[2J\u{1B}]0;title\u{7}\r\n::error::x\n ##[error]y\u{9B}31m\u{202E}\u{7F}z"
    private let scratch: OutputScratch

    init() throws {
        scratch = try OutputScratch()
    }

    /// Checks that output contains only text, line feeds and tabs, and no line that a CI system would interpret as a
    /// command.
    private func check(_ printed: String, _ arguments: [String], allowsCommands: Bool = false) {
        let comment = Comment(rawValue: "\(arguments)\n\(printed.debugDescription)")
        let isClean = printed.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\t"
                || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        #expect(isClean, comment)
        for line in printed.split(separator: "\n") {
            let isCommand = line.drop { $0.isWhitespace }.hasPrefix("::") || line.contains("##[")
            let isOwn = allowsCommands && ["::error ", "::warning ", "::notice "].contains { line.hasPrefix($0) }
            #expect(!isCommand || isOwn, comment)
        }
    }

    /// Writes models with malicious names. A compiled model can contain any name; its source replaces control
    /// characters that XML does not allow.
    private func writeHostileModels() throws -> [String] {
        var name = Self.hostile
        var xml = name.unicodeScalars.filter { $0.value >= 0x20 || "\r\n\t".unicodeScalars.contains($0) }
            .map { "&#\($0.value);" }.joined()
        let model = { (name: String) in
            OutputScratch.model(isSound: true).replacing("\"Order\"", with: "\"\(name)\"")
                .replacing("\"number\"", with: "\"\(name)\"")
        }
        let folder = "::error::\(name).xcdatamodeld"
        try scratch.write(model(xml), to: "\(folder)/V\(name).xcdatamodel/contents")
        try scratch.write(model(xml), to: "Plain.xcdatamodel/contents")
        // Replace a name of the same length in the compiled bytes with the malicious name.
        let length = name.utf8.count
        name = String(decoding: name.utf8.prefix { $0 < 0x80 }, as: UTF8.self)
        xml = String(repeating: "Q", count: name.utf8.count)
        try scratch.write(model(xml), to: "Marked.xcdatamodel/contents")
        #expect(scratch.run(["compile", "Marked.xcdatamodel", "-q"]).code == 0)
        let bytes = try Data(contentsOf: scratch.url("Marked.mom"))
        var patched = [UInt8](bytes)
        let (marker, replacement) = (Array(xml.utf8), Array(name.utf8))
        var count = 0
        for index in patched.indices.dropLast(marker.count) where Array(patched[index..<index + marker.count]) == marker
        {
            patched.replaceSubrange(index..<index + marker.count, with: replacement)
            count += 1
        }
        #expect(count > 0 && length > 0)
        try Data(patched).write(to: scratch.url("Hostile.mom"))
        return [folder, "Plain.xcdatamodel", "Hostile.mom"]
    }

    @Test func outputCannotControlATerminalOrACISystem() throws {
        for model in try writeHostileModels() {
            for arguments in [
                ["inspect", model], ["inspect", model, "--format", "json"], ["hash", model],
                ["hash", model, "--format", "json"],
                ["textconv", model], ["textconv", model + "/contents"], ["compile", model, "Out"],
                ["decompile", model, "Out"],
                ["momc", model, "Out"], ["momc", model, "Out"], ["momc", "--action", "generate", model, "Out"],
                ["generate", model, "-o", "Out"], ["generate", model, "-o", "Out", "--dry-run"], ["lint", model],
                ["lint", model, "--fix"], ["format", model], ["format", model, "--check"],
                ["templates", "context", model], ["generate", model, "-o", "Out", "--language", "swiftdata"],
                ["graph", model, "--entity", Self.hostile], ["graph", model, "-o", "Out/picture"],
                ["lint", model, "--write-baseline", Self.hostile], ["lint", model, "--baseline", Self.hostile],
                ["compile", model, "::error::\(Self.hostile)"], ["templates", "eject", Self.hostile],
            ] {
                let (_, output, errorOutput) = scratch.run(arguments)
                check(output, arguments)
                check(errorOutput, arguments)
            }
            for reporter in [
                "text", "xcode", "json", "jsonl", "sarif", "github", "gitlab", "junit", "checkstyle", "rdjson",
                "markdown",
            ] {
                let arguments = ["lint", model, "--reporter", reporter]
                let (_, output, errorOutput) = scratch.run(arguments)
                check(output, arguments, allowsCommands: reporter == "github")
                check(errorOutput, arguments)
            }
        }
    }

    @Test(arguments: [
        [hostile], ["lint", "--\(hostile)"], ["lint", hostile], ["lint", "--reporter", hostile], ["explain", hostile],
        ["momc", hostile], ["momc", "--\(hostile)"], ["momc", "--action", hostile, "a", "b"], ["inspect", hostile],
        ["generate", "Shop.xcdatamodeld", "-o", "precious/\(hostile)"],
        ["generate", "Shop.xcdatamodeld", "--style", hostile],
        ["compile", "Shop.xcdatamodeld", "precious/\(hostile).momd"],
        ["graph", "Shop.xcdatamodeld", "--version", hostile],
        ["merge-driver", "base", "ours", hostile], ["merge-driver", "base", "ours", "theirs", "--path", hostile],
        ["build-target", "--module", hostile, "--output", "precious/\(hostile)"],
    ])
    func argumentsCannotInjectControlSequences(_ arguments: [String]) {
        let (_, output, errorOutput) = scratch.run(arguments)
        check(output, arguments)
        check(errorOutput, arguments)
    }

    /// Data for other programs is unchanged, byte for byte, unless it is shown to a person.
    @Test func patchesAreEscapedOnlyOnATerminal() throws {
        let header =
            "//\n//  Order+CoreDataClass.swift\n//\n//  Generated by modelc from Shop.xcdatamodeld.\n"
            + "//  This file was automatically generated and should not be edited.\n//\n"
        try scratch.write(header + "// \u{1B}[2J\n::error::x\n", to: "Out/Order+CoreDataClass.swift")
        let arguments = ["generate", "Shop.xcdatamodeld", "-o", "Out", "--check"]
        #expect(scratch.run(arguments).output.contains("-// \u{1B}[2J\n"))
        for (environment, isEscaped) in [(["CI": "true"], true), (["CI": ""], false)] {
            let result = try ModelcProcess.run(arguments, in: scratch.folder, environment: environment)
            #expect(result.output.contains("\u{1B}") != isEscaped)
        }
        // A file is not shown to a person, not even in CI.
        _ = try ModelcProcess.run(
            script: "exec \"$@\" > patch", arguments, in: scratch.folder, environment: ["CI": "true"])
        #expect(try String(contentsOf: scratch.url("patch"), encoding: .utf8).contains("\u{1B}"))
    }

    // MARK: Other files

    /// A line of a file to which a model, the settings or a baseline refers must not appear in a log.
    @Test(arguments: [
        "contents", "folder", ".xccurrentversion", ".modelc.yml", "baseline", "baseline link", "generated", "compiled",
        "textual link", "against", "production",
    ])
    func linesOfOtherFilesAreNotShown(_ way: String) throws {
        let secret = "<config token=\"SECRET\">\nSECRET: [SECRET, &SECRET\n"
        let inner = try OutputScratch()
        try inner.write(secret, to: "secrets/contents")
        try inner.write(secret, to: "secrets/secret")
        let target = inner.url("secrets/secret")
        let files = FileManager.default
        func link(_ path: String, to target: URL) throws {
            try files.createDirectory(
                at: inner.url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try? files.removeItem(at: inner.url(path))
            try files.createSymbolicLink(at: inner.url(path), withDestinationURL: target)
        }
        let (repository, model) = ("App", "App/M.xcdatamodeld")
        try inner.write(OutputScratch.model(isSound: true), to: "\(model)/M.xcdatamodel/contents")
        switch way {
        case "contents": try link("\(model)/M.xcdatamodel/contents", to: target)
        case "folder": try link("\(model)/M.xcdatamodel", to: inner.url("secrets"))
        case ".xccurrentversion": try link("\(model)/.xccurrentversion", to: target)
        case ".modelc.yml": try link("\(repository)/.modelc.yml", to: target)
        case "baseline": try inner.write("version: 1\nbaseline: ../secrets/secret\n", to: "\(repository)/.modelc.yml")
        case "against", "production":
            try inner.write("version: 1\n\(way): ../secrets/secret\n", to: "\(repository)/.modelc.yml")
        case "baseline link":
            try inner.write("version: 1\nbaseline: known\n", to: "\(repository)/.modelc.yml")
            try link("\(repository)/known", to: target)
        case "generated": try link("\(repository)/Out/Order+CoreDataClass.swift", to: target)
        case "compiled": try link("\(repository)/M.momd/M.mom", to: target)
        default: try link("\(model)/M.xcdatamodel/contents", to: inner.url("secrets/../secrets/secret"))
        }
        for arguments in [
            ["lint"], ["lint", "--reporter", "sarif"], ["lint", "--reporter", "rdjson"],
            ["lint", "--fix", "--dry-run"], ["check"], ["check", "--format", "agent"], ["format", "--check"],
            ["format", "--diff"], ["generate", "M.xcdatamodeld", "-o", "Out", "--check"],
            ["compile", "M.xcdatamodeld"],
            ["inspect", "M.xcdatamodeld"], ["inspect", "M.momd"], ["hash", "M.xcdatamodeld"],
            ["graph", "M.xcdatamodeld"],
            ["momc", "M.xcdatamodeld", "Made/"],
            [
                "build-target", "--module", "A", "--model", "M.xcdatamodeld", "--output", "Out", "--config",
                ".modelc.yml",
            ],
        ] {
            let result = try ModelcProcess.run(arguments, in: inner.url(repository))
            #expect(
                !(result.output + result.errorOutput).contains("SECRET"),
                "\(arguments): \(result.output)\(result.errorOutput)")
        }
    }

    /// Messages quote names of models, but not those of other XML files to which a part of a model is a link.
    @Test(
        arguments: [
            "M.xcdatamodeld/M.xcdatamodel/contents", "M.xcdatamodeld/.xccurrentversion",
            "Map.xcmappingmodel/xcmapping.xml", "M.momd/VersionInfo.plist",
        ],
        [
            "<SECRET SECRET=\"SECRET\">SECRET</SECRET>", "<config><SECRET></config>",
            "<!DOCTYPE SECRET [<!ENTITY SECRET \"x\">]><SECRET>&SECRET;</SECRET>",
            "<plist><dict><key>_XCCurrentVersionName</key><string>SECRET.xcdatamodel</string></dict></plist>",
            "<database><SECRET/><object type=\"SECRET\" id=\"SECRET\"/></database>",
        ])
    func textOfOtherXMLFilesIsNotShown(link: String, secret: String) throws {
        let inner = try OutputScratch(compiles: false)
        try inner.write(secret, to: "secret.xml")
        try inner.write(OutputScratch.model(isSound: true), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try FileManager.default.createDirectory(
            at: inner.url(link).deletingLastPathComponent(), withIntermediateDirectories: true)
        try? FileManager.default.removeItem(at: inner.url(link))
        try FileManager.default.createSymbolicLink(at: inner.url(link), withDestinationURL: inner.url("secret.xml"))
        let model = String(try #require(link.split(separator: "/").first))
        for arguments in [
            ["lint", model], ["lint", model, "--reporter", "json"], ["lint", model, "--fix", "--dry-run"],
            ["format", model, "--check"], ["format", model, "--diff"], ["generate", model, "-o", "Out"],
            ["compile", model], ["inspect", model], ["hash", model], ["graph", model], ["decompile", model, "Out2"],
            ["diff", model, "Shop.xcdatamodeld"], ["lock", "update", model], ["migrate", "check", model],
            ["new-version", model, "--dry-run"], ["momc", model, "Made/"], ["cloudkit", "export", model],
        ] {
            let result = inner.run(arguments)
            #expect(
                !(result.output + result.errorOutput).contains("SECRET"),
                "\(arguments): \(result.output)\(result.errorOutput)")
        }
    }

    /// What modelc-store prints is escaped only where it is displayed.
    @Test func sqlInAFileIsNotEscaped() throws {
        try scratch.write(
            "<model><entity name=\"A\"><attribute name=\"b\u{202E}c\" attributeType=\"String\"/></entity></model>",
            to: "Marked.xcdatamodel/contents")
        _ = try ModelcProcess.run(
            script: "exec \"$@\" > sql", ["sql", "Marked.xcdatamodel"], in: scratch.folder, environment: ["CI": "true"])
        #expect(try String(contentsOf: scratch.url("sql"), encoding: .utf8).contains("b\u{202E}c"))
    }

    /// Lines of a model next to the repository's own files are shown as usual, even if the whole bundle is a link.
    @Test func linesOfModelsAreShown() throws {
        try FileManager.default.createSymbolicLink(
            at: scratch.url("Linked.xcdatamodel"), withDestinationURL: scratch.url("Bad.xcdatamodel"))
        for path in ["Bad.xcdatamodel", "Linked.xcdatamodel", "Bad.xcdatamodel/contents"] {
            #expect(scratch.run(["lint", path]).output.contains(" | "))
        }
    }
}
