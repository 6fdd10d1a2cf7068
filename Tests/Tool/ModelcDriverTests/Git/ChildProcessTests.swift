import Foundation
import Testing

@testable import ModelcDriver

@Suite struct ChildProcessTests {
    @Test func inputAndOutputLargerThanAPipePassThrough() throws {
        let input = [UInt8](repeating: 7, count: 3 << 20)
        let result = try ChildProcess.run(["cat"], input: input)
        #expect(result.output == input)
        #expect(result.exitCode == 0)
    }

    @Test func aProgramThatDoesNotReadItsInputDoesNotStopTheCaller() throws {
        let result = try ChildProcess.run(["true"], input: [UInt8](repeating: 7, count: 1 << 20))
        #expect(result.exitCode == 0)
    }

    @Test func exitCodesAndErrorsAreReported() throws {
        let result = try ChildProcess.run(["sh", "-c", "echo oops >&2; exit 3"])
        #expect(result.exitCode == 3)
        #expect(result.errorOutput == "oops\n")
        #expect(try ChildProcess.run(["sh", "-c", "kill -9 $$"]).exitCode == 137)
    }

    @Test func aMissingProgramIsAnError() {
        do {
            _ = try ChildProcess.run(["modelc-no-such-program"])
            Issue.record("there is no such program")
        } catch {
            #expect(error.isMissing)
        }
    }

    @Test func variablesReplaceThoseOfTheProcess() throws {
        let result = try ChildProcess.run(["sh", "-c", "echo $HOME"], variables: [("HOME", "elsewhere")])
        #expect(result.output == Array("elsewhere\n".utf8))
    }
}
