import Foundation
import Hummingbird

/// An event in the format of `text/event-stream`.
struct ServerSentEvent: Sendable {
    let bytes: ByteBuffer

    init(_ name: String, _ data: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(data), as: UTF8.self)
        bytes = ByteBuffer(string: "event: \(name)\ndata: \(text)\n\n")
    }
}
