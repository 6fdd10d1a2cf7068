internal import Diagnostics

/// A request or notification. A response has neither identifier nor method.
struct MCPMessage {
    /// The identifier of a request; `nil` for a notification.
    var id: JSONValue?
    var method: String
    var parameters: ParsedJSON?

    /// The reason why a line is not a message.
    struct Malformed: Error {
        var code: MCPError.Code
        var id: JSONValue = .null
        var message: String
    }

    init(_ line: [UInt8]) throws(Malformed) {
        let value: ParsedJSON
        do throws(ParsedJSON.Failure) {
            value = try ParsedJSON.parse(line)
        } catch {
            throw Malformed(code: .parseError, message: "the line is not JSON")
        }
        guard case .object = value else {
            throw Malformed(code: .invalidRequest, message: "a message is a JSON object; batches are not supported")
        }
        if let id = value["id"] {
            if case .number(let text) = id, let number = Int(text) {
                self.id = .integer(number)
            } else if let text = id.text {
                self.id = .string(text)
            } else {
                throw Malformed(code: .invalidRequest, message: "the id is neither a string nor an integer")
            }
        }
        if value["method"] == nil, value["result"] != nil || value["error"] != nil {
            // The answer to a request, which this server never sends.
            (id, method) = (nil, "")
            return
        }
        guard value["jsonrpc"]?.text == "2.0", let method = value["method"]?.text else {
            throw Malformed(code: .invalidRequest, id: id ?? .null, message: "this is not a request of JSON-RPC 2.0")
        }
        self.method = method
        parameters = value["params"]
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
