import Foundation
import Testing

@testable import ModelcDriver

/// The server for coding agents: the handshake, errors, tools, resources, and the limits of the workspace.
@Suite struct MCPServerTests {
    private let repository: GitRepository
    private let server: MCPServer

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try repository.commit()
        server = MCPServer(files: POSIXFileSystem(workingDirectory: repository.folder.path))
    }

    private func answer(_ text: String) throws -> [String: Any] {
        let answer = try #require(server.answer(to: Array(text.utf8)))
        #expect(!answer.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        #expect(object["jsonrpc"] as? String == "2.0")
        return object
    }

    private func result(_ method: String, _ parameters: String = "{}") throws -> [String: Any] {
        let object = try answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\(method)\",\"params\":\(parameters)}")
        #expect(object["id"] as? Int == 7)
        return try #require(object["result"] as? [String: Any], "\(object)")
    }

    private func errorCode(_ text: String) throws -> Int? {
        (try answer(text)["error"] as? [String: Any])?["code"] as? Int
    }

    private func call(_ tool: String, _ arguments: String) throws -> (text: String, isError: Bool) {
        let result = try result("tools/call", "{\"name\":\"\(tool)\",\"arguments\":\(arguments)}")
        let content = try #require((result["content"] as? [[String: Any]])?.first)
        return (try #require(content["text"] as? String), try #require(result["isError"] as? Bool))
    }

    private func callError(_ tool: String, _ arguments: String) throws -> Int? {
        try errorCode(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\(tool)\",\"arguments\":\(arguments)}}"
        )
    }

    // MARK: Protocol

    @Test(arguments: [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-06-18")])
    func theVersionIsTheRequestedOneOrTheNewest(requested: String, expected: String) throws {
        let result = try result("initialize", "{\"protocolVersion\":\"\(requested)\",\"capabilities\":{}}")
        #expect(result["protocolVersion"] as? String == expected)
        #expect((result["serverInfo"] as? [String: Any])?["name"] as? String == "modelc")
        let capabilities = try #require(result["capabilities"] as? [String: Any])
        #expect(Set(capabilities.keys) == ["tools", "resources"])
    }

    @Test func notificationsAndEmptyLinesHaveNoAnswer() {
        #expect(server.answer(to: Array("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".utf8)) == nil)
        #expect(server.answer(to: Array("  \r".utf8)) == nil)
    }

    @Test func responsesHaveNoAnswer() {
        #expect(server.answer(to: Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}".utf8)) == nil)
        let error = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"\"}}"
        #expect(server.answer(to: Array(error.utf8)) == nil)
    }

    @Test(arguments: [
        ("{", -32700), ("\u{0}", -32700), ("[]", -32600), ("3", -32600), ("{}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"other\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///etc/passwd\"}}",
            -32002
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"modelc:///%zz\"}}", -32002),
    ])
    func wrongMessagesAreErrors(text: String, code: Int) throws {
        #expect(try errorCode(text) == code)
    }

    @Test func deepMessagesAreErrors() throws {
        #expect(try errorCode(String(repeating: "[", count: 100_000)) == -32700)
    }

    @Test func identifiersAreReturnedAsTheyAre() throws {
        let object = try answer("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0000b\",\"method\":\"ping\"}")
        #expect(object["id"] as? String == "a\u{0}b")
        #expect((object["result"] as? [String: Any])?.isEmpty == true)
    }

    // MARK: Tools

    @Test func everyToolIsDescribed() throws {
        let tools = try #require(try result("tools/list")["tools"] as? [[String: Any]])
        #expect(
            tools.compactMap { $0["name"] as? String } == [
                "check", "explain", "inspect", "diff", "migrate_plan", "hash", "generate_preview", "apply_fix",
            ])
        for tool in tools {
            let annotations = try #require(tool["annotations"] as? [String: Any])
            #expect(annotations["readOnlyHint"] as? Bool == (tool["name"] as? String != "apply_fix"))
            #expect((tool["inputSchema"] as? [String: Any])?["type"] as? String == "object")
        }
    }

    @Test func toolsRunTheirCommands() throws {
        let check = try call("check", "{}")
        #expect(check.text.hasPrefix("{\"verdict\":\"compatible\""), "\(check.text)")
        #expect(!check.isError)
        #expect(
            try call("check", "{\"paths\":[\"M.xcdatamodeld\"],\"changed\":true,\"against\":\"HEAD\"}").isError == false
        )
        #expect(try call("explain", "{\"rule\":\"missing-inverse\"}").text.contains("inverse"))
        #expect(try call("inspect", "{\"model\":\"M.xcdatamodeld\"}").text.contains("title"))
        #expect(try call("hash", "{\"model\":\"M.xcdatamodeld\",\"version\":\"M\"}").text.contains("M"))
        #expect(try call("diff", "{\"old\":\"HEAD:M.xcdatamodeld\",\"new\":\"M.xcdatamodeld\"}").isError == false)
        #expect(try call("migrate_plan", "{\"model\":\"M.xcdatamodeld\"}").isError == false)
        try repository.write(
            "<model><entity name=\"Book\" representedClassName=\"Book\" codeGenerationType=\"class\"/></model>",
            to: "P.xcdatamodeld/P.xcdatamodel/contents")
        let preview = try call("generate_preview", "{\"model\":\"P.xcdatamodeld\",\"output\":\"Out\"}")
        #expect(preview.text.contains("+"), "\(preview.text)")
        #expect(!FileManager.default.fileExists(atPath: repository.folder.path + "/Out"))
        #expect(try call("inspect", "{\"model\":\"Missing.xcdatamodeld\"}").isError)
    }

    @Test func argumentsAreChecked() throws {
        #expect(try callError("inspect", "{}") == -32602)
        #expect(try callError("inspect", "[]") == -32602)
        #expect(try callError("inspect", "{\"model\":3}") == -32602)
        #expect(try callError("inspect", "{\"model\":\"M.xcdatamodeld\",\"output\":\"x\"}") == -32602)
        #expect(try callError("check", "{\"paths\":[3]}") == -32602)
        #expect(try callError("check", "{\"changed\":\"yes\"}") == -32602)
        // An option in the place of a value is a value.
        #expect(try call("explain", "{\"rule\":\"--help\"}").isError)
    }

    @Test func nothingOutsideTheWorkspaceIsReached() throws {
        let outside = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: outside) }
        let folder = repository.folder
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("Link"), withDestinationURL: outside)
        for path in ["..", "../x", "/", "/etc/passwd", outside.path, "Link", "Link/New", "a/../../x", "HEAD:../x"] {
            #expect(try callError("inspect", "{\"model\":\"\(path)\"}") == -32602, "\(path)")
            #expect(try callError("check", "{\"paths\":[\"\(path)\"]}") == -32602, "\(path)")
            #expect(
                try callError("generate_preview", "{\"model\":\"M.xcdatamodeld\",\"output\":\"\(path)\"}") == -32602,
                "\(path)")
        }
        // A model whose file is elsewhere is not fixed.
        let contents = folder.appendingPathComponent("M.xcdatamodeld/M.xcdatamodel/contents")
        let target = outside.appendingPathComponent("contents")
        try FileManager.default.moveItem(at: contents, to: target)
        try FileManager.default.createSymbolicLink(at: contents, withDestinationURL: target)
        let before = try Data(contentsOf: target)
        #expect(try callError("apply_fix", "{\"model\":\"M.xcdatamodeld\",\"unsafe\":true}") == -32602)
        #expect(try Data(contentsOf: target) == before)
    }

    @Test func onlyApplyingAFixWrites() throws {
        let path = repository.folder.appendingPathComponent("M.xcdatamodeld/M.xcdatamodel/contents").path
        let text = """
            <model documentVersion="1.0"><entity name="A"><attribute name="t" optional="YES" attributeType="String" indexed="YES"/>\
            <fetchIndex name="byT"><fetchIndexElement property="t" type="Binary" order="ascending"/></fetchIndex></entity></model>
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        for tool in ["check", "inspect", "hash", "migrate_plan"] {
            _ = try call(tool, tool == "check" ? "{}" : "{\"model\":\"M.xcdatamodeld\"}")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        let fixed = try call("apply_fix", "{\"model\":\"M.xcdatamodeld\",\"rule\":\"legacy-indexed-attribute\"}")
        #expect(!fixed.isError, "\(fixed.text)")
        let after = try String(contentsOfFile: path, encoding: .utf8)
        #expect(after == text.replacing(" indexed=\"YES\"", with: ""))
        #expect(try callError("apply_fix", "{\"model\":\".\"}") == -32602)
    }

    // MARK: Resources

    @Test func modelsAreResources() throws {
        let resources = try #require(try result("resources/list")["resources"] as? [[String: Any]])
        let uri = try #require(resources.first?["uri"] as? String)
        #expect(uri == "modelc:///M.xcdatamodeld")
        let contents = try #require(
            try result("resources/read", "{\"uri\":\"\(uri)\"}")["contents"] as? [[String: Any]])
        #expect((contents.first?["text"] as? String)?.contains("title") == true)
        #expect(try result("resources/templates/list")["resourceTemplates"] as? [String] == [])
    }
}
