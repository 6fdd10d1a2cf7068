import Foundation
import Testing

@testable import StudioServer

/// Server processes that end unexpectedly, with scripts in place of servers. Each test has a process of its own, since
/// a supervisor handles signals.
@Suite struct SupervisorTests {
    /// Runs a script, whose variables tell the session, and ends the process with the supervisor's exit code.
    private static func supervise(_ script: String) throws -> Never {
        let start = "read port token count connection <<< \"$MODELC_STUDIO_SESSION\"\n"
        let supervisor = Supervisor(executable: "/bin/bash", arguments: ["bash", "-c", start + script])
        let token = String(repeating: "0123456789abcdef", count: 2)
        exit(try supervisor.run(token: token) { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
    }

    @Test func aProcessThatIsKilledIsStartedAgainWithItsPortAndToken() async {
        await #expect(processExitsWith: .exitCode(13)) {
            try Self.supervise(
                """
                [ $token = 0123456789abcdef0123456789abcdef ] || exit 98
                [ $port = $((count > 0 ? 4711 : 0)) ] || exit 99
                echo "4711 /nowhere" >&$connection
                [ $count -lt 3 ] && kill -KILL $$
                exit $((10 + count))
                """)
        }
    }

    @Test func aProcessThatAlwaysEndsAtOnceIsNotStartedForEver() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(128 + SIGSEGV), observing: [\.standardErrorContent]
        ) {
            try Self.supervise(
                """
                echo "4711 /nowhere" >&$connection
                [ $count -le 10 ] || exit 0
                kill -SEGV $$
                """)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("modelc: error: the studio ended unexpectedly (signal \(SIGSEGV))\n"))
    }

    @Test func aProcessThatHasServedNothingIsNotStartedAgain() async {
        await #expect(processExitsWith: .exitCode(128 + SIGKILL)) {
            try Self.supervise("[ $count = 0 ] || exit 0; kill -KILL $$")
        }
    }

    @Test func anExitCodeIsPassedOn() async {
        await #expect(processExitsWith: .exitCode(2)) { try Self.supervise("exit 2") }
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func aSignalEndsBothProcesses(number: Int32) async {
        await #expect(processExitsWith: .exitCode(40)) { [number] in
            try Self.supervise(
                """
                trap 'exit 40' TERM HUP INT
                echo "4711 /nowhere" >&$connection
                kill -\(number) $PPID
                while true; do sleep 0.05; done
                """)
        }
    }

    @Test func theVariableIsReadAsItIsWritten() {
        let session = ServerSession(port: 80, token: String(repeating: "0a", count: 16), count: 2, connection: 5)
        #expect(ServerSession(session.text) == session)
        let other = session.text.replacingOccurrences(of: " 5", with: " 1")
        for text in ["", "80", "80 x 2 5", session.text + " 1", other] {
            #expect(ServerSession(text) == nil)
        }
    }
}
