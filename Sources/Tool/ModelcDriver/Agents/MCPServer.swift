internal import Diagnostics
internal import ModelSource

/// Answers the messages of the Model Context Protocol. It keeps nothing between messages.
struct MCPServer {
    private let files: any FileSystem
    private let tools: MCPTools

    /// The versions of the protocol that are spoken, the newest first.
    private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]
    /// The scheme of the resources, which are models.
    private static let scheme = "modelc:///"

    init(files: any FileSystem) {
        self.files = files
        tools = MCPTools(files: files)
    }

    /// Returns the answer to a line, or `nil` if it is a notification.
    func answer(to line: [UInt8]) -> String? {
        guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { return nil }
        let message: MCPMessage
        do throws(MCPMessage.Malformed) {
            message = try MCPMessage(line)
        } catch {
            return Self.error(MCPError(code: error.code, message: error.message), id: error.id)
        }
        guard let id = message.id else { return nil }
        do throws(MCPError) {
            return JSONValue.object([("jsonrpc", .string("2.0")), ("id", id), ("result", try result(of: message))]).line
        } catch {
            return Self.error(error, id: id)
        }
    }

    private static func error(_ error: MCPError, id: JSONValue) -> String {
        JSONValue.object([
            ("jsonrpc", .string("2.0")), ("id", id),
            ("error", .object([("code", .integer(error.code.rawValue)), ("message", .string(error.message))])),
        ]).line
    }

    private func result(of message: MCPMessage) throws(MCPError) -> JSONValue {
        switch message.method {
        case "initialize": return initialization(message.parameters)
        case "ping": return .object([])
        case "tools/list": return .object([("tools", .array(tools.all.map(\.description)))])
        case "tools/call": return try tools.call(message.parameters)
        case "resources/list": return try resources()
        case "resources/templates/list": return .object([("resourceTemplates", .array([]))])
        case "resources/read": return try resource(message.parameters)
        default: throw MCPError(code: .methodNotFound, message: "there is no method “\(message.method)”")
        }
    }

    private func initialization(_ parameters: ParsedJSON?) -> JSONValue {
        let requested = parameters?["protocolVersion"]?.text
        let version = Self.versions.first { $0 == requested } ?? Self.versions[0]
        return .object([
            ("protocolVersion", .string(version)),
            (
                "capabilities",
                .object([
                    ("tools", .object([("listChanged", .bool(false))])),
                    ("resources", .object([("subscribe", .bool(false)), ("listChanged", .bool(false))])),
                ])
            ),
            (
                "serverInfo",
                .object([
                    ("name", .string("modelc")), ("title", .string("modelc")), ("version", .string(ToolVersion.number)),
                ])
            ),
            (
                "instructions",
                .string(
                    "Call check after each change of a Core Data model, a mapping model or a SwiftData class. Its verdict says "
                        + "whether users of released versions can update. Never edit a released version: copy it first with "
                        + "“modelc new-version MODEL”.")
            ),
        ])
    }

    // MARK: Resources

    private func resources() throws(MCPError) -> JSONValue {
        let settings = try? RunSettings(configurationPath: RunSettings.nearestConfiguration(files), files)
        let found = try? ModelFinder(files: files) { settings?.isIncluded($0) ?? true }.find(["."])
        return .object([
            (
                "resources",
                .array(
                    (found?.paths ?? []).map { path in
                        .object([
                            ("uri", .string(Self.scheme + path.utf8.percentEncodedPath)), ("name", .string(path)),
                            ("description", .string("The current version of the model, as text")),
                            ("mimeType", .string("text/plain")),
                        ])
                    })
            )
        ])
    }

    private func resource(_ parameters: ParsedJSON?) throws(MCPError) -> JSONValue {
        guard let uri = parameters?["uri"]?.text else {
            throw MCPError(code: .invalidParameters, message: "resources/read needs the uri of a resource")
        }
        guard uri.hasPrefix(Self.scheme), let path = Self.decoded(uri.dropFirst(Self.scheme.count)),
            ModelFinder.isModel(path), files.kind(of: path) == .directory
        else { throw MCPError(code: .resourceNotFound, message: "there is no resource “\(uri)”") }
        let output = tools.run(InspectCommand.self, ["--", try tools.insideWorkspace(path)])
        return .object([
            (
                "contents",
                .array([
                    .object([
                        ("uri", .string(uri)), ("mimeType", .string("text/plain")),
                        ("text", .string(output.texts.joined(separator: "\n"))),
                    ])
                ])
            )
        ])
    }

    /// Returns the path of an escaped one; `nil` if it is malformed.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
