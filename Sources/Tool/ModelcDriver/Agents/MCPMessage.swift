internal import Diagnostics

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value of a JSON-RPC message.
indirect enum MCPValue: Decodable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([MCPValue])
    case object([String: MCPValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([MCPValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: MCPValue].self))
        }
    }

    subscript(key: String) -> MCPValue? { if case .object(let members) = self { members[key] } else { nil } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }
    /// The strings of an array, or `nil` if the value is not an array of strings.
    var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }
}

/// A request or notification.
struct MCPMessage {
    /// The identifier of a request; `nil` for a notification.
    var id: JSONValue?
    var method: String
    var parameters: MCPValue?

    /// The reason why a line is not a message.
    struct Malformed: Error {
        var code: MCPError.Code
        var id: JSONValue = .null
        var message: String
    }

    init(_ line: [UInt8]) throws(Malformed) {
        let value: MCPValue
        do {
            value = try JSONDecoder().decode(MCPValue.self, from: Data(line))
        } catch {
            throw Malformed(code: .parseError, message: "the line is not JSON")
        }
        guard case .object(let members) = value else {
            throw Malformed(code: .invalidRequest, message: "a message is a JSON object; batches are not supported")
        }
        switch members["id"] {
        case nil: id = nil
        case .integer(let number): id = .integer(number)
        case .string(let text): id = .string(text)
        default: throw Malformed(code: .invalidRequest, message: "the id is neither a string nor an integer")
        }
        guard case .string("2.0")? = members["jsonrpc"], let method = members["method"]?.string else {
            throw Malformed(code: .invalidRequest, id: id ?? .null, message: "this is not a request of JSON-RPC 2.0")
        }
        self.method = method
        parameters = members["params"]
    }
}

struct MCPError: Error {
    /// The codes of JSON-RPC.
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case resourceNotFound = -32002
    }

    var code: Code
    var message: String
}
