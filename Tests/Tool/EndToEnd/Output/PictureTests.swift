import Foundation
import Testing

/// PNG files, which `rsvg-convert` draws; here, a script stands in for it.
@Suite struct PictureTests {
    private let scratch: OutputScratch

    init() throws {
        scratch = try OutputScratch()
    }

    private func graph(_ converter: String?, _ output: String = "a.png") throws -> ModelcProcess.Result {
        if let converter {
            try scratch.write("#!/bin/sh\n\(converter)\n", to: "bin/rsvg-convert")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: scratch.url("bin/rsvg-convert").path)
        }
        return try ModelcProcess.run(
            script: "PATH=bin; exec \"$@\"", ["graph", "Shop.xcdatamodeld", "-o", output], in: scratch.folder)
    }

    @Test func convertersReceiveTheSVG() throws {
        let result = try graph("printf '\\211PNG\\r\\n\\032\\n'; read -r line; printf '%s' \"${line%% *}\"")
        #expect(result.code == 0, "\(result.errorOutput)")
        let bytes = try Data(contentsOf: scratch.url("a.png"))
        #expect(bytes == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("<svg".utf8))
    }

    @Test(arguments: [
        (nil, "rsvg-convert is not installed"), ("echo 'no fonts' >&2; exit 3", "rsvg-convert: no fonts"),
        ("echo text", "rsvg-convert: no PNG was written"),
    ])
    func failuresOfTheConverterAreErrors(_ converter: String?, _ reason: String) throws {
        let result = try graph(converter)
        #expect(result.code == 2)
        #expect(result.errorOutput.contains(reason), "\(result.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: scratch.url("a.png").path))
    }

    @Test func otherFilesAreNotReplaced() throws {
        try scratch.write("text", to: "a.png")
        #expect(try graph("printf '\\211PNG\\r\\n\\032\\n'").errorOutput.contains("the existing file is not a PNG"))
        #expect(try String(contentsOf: scratch.url("a.png"), encoding: .utf8) == "text")
    }
}
