import Foundation
import TestSupport
import Testing

/// `modelc store`, which runs `modelc-store`.
@Suite struct StoreCommandTests {
    @Test func argumentsOutputAndExitCodeArePassedOn() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>")
        for (name, seed) in [("a", "1"), ("b", "2")] {
            let result = try ToolProcess.run(
                "modelc", ["store", "make", "Model.xcdatamodel", "--seed", seed, "-o", "\(name).sqlite"],
                in: scratch.folder)
            #expect(result.code == 0, "\(result.errorOutput)")
        }
        #expect(try ToolProcess.run("modelc", ["store", "diff", "a.sqlite", "a.sqlite"], in: scratch.folder).code == 0)
        let result = try ToolProcess.run("modelc", ["store", "diff", "a.sqlite", "b.sqlite"], in: scratch.folder)
        #expect(result.code == 1)
        #expect(result.output.hasPrefix("A\n  ~ A/"))
        #expect(try ToolProcess.run("modelc", ["store", "nonsense"], in: scratch.folder).code == 2)
        #expect(
            try ToolProcess.run("modelc", ["store", "make", "--help"], in: scratch.folder).output.contains("--seed"))
    }

    @Test func helpPagesFitAndMarkRequiredOptions() throws {
        let scratch = try StoreScratch()
        let dump = try ToolProcess.run("modelc-store", ["--experimental-dump-help"], in: scratch.folder).output
        #expect(try CommandDump.root(in: dump).unmarkedOptions.isEmpty)
        let page = try ToolProcess.run("modelc", ["help", "store", "make"], in: scratch.folder).output
        #expect(
            page.contains(
                """
                  modelc store make Books.momd --version "Books 2" --rows 1000 --seed 7 \\
                      --output books-2.sqlite

                """), "\(page)")
    }

    @Test func aMissingProgramIsExplained() throws {
        let scratch = try StoreScratch()
        let result = try ToolProcess.run(
            "modelc", ["store", "make", "x"], in: scratch.folder, environment: ["MODELC_STORE": "/nowhere/modelc-store"]
        )
        #expect(result.code == 2)
        #expect(result.errorOutput.contains("swift build --product modelc-store"))
    }
}
