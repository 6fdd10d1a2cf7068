internal import CompiledModel
internal import Diagnostics
internal import Foundation

/// A binary or transformable value, for the viewer.
package struct ValueDetails: Codable, Sendable {
    /// A part of a tree.
    package struct Node: Codable, Sendable {
        /// The key in a dictionary, or the index in an array.
        package var key: String?
        package var type: String
        /// The value of a leaf.
        package var text: String?
        /// The parts.
        package var children: [Node]?
    }

    /// The format of the bytes.
    package var title: String
    /// The size in bytes.
    package var count: Int
    /// The media type of an image.
    package var media: String?
    /// A property list or keyed archive.
    package var tree: Node?
    /// The reason why there is no tree, if the bytes look like a property list.
    package var note: String?
    /// The first bytes, 16 per line: offset, bytes, characters.
    package var hex: [String]
    /// The bytes as text, if they are UTF-8.
    package var text: String?

    /// The maximum number of bytes in the hexadecimal view.
    static let hexLimit = 4096
    /// The maximum size of a property list that is decoded, in bytes.
    static let treeLimit = 4 << 20

    /// Creates the details of bytes. Archives are shown by their structure, without instantiating any object.
    init(_ data: Data) {
        let form = ByteForm(data)
        title = form.title
        count = data.count
        media = form.imageType
        hex = Self.hex(data.prefix(Self.hexLimit))
        if form.isPropertyList, data.count <= Self.treeLimit {
            do {
                let value = try PropertyListValue([UInt8](data))
                var builder = ValueTree(value)
                tree = builder.root()
                if builder.isArchive { title = "keyed archive" }
                if builder.isCut { note = "only the first \(ValueTree.nodeLimit) values are shown" }
            } catch {
                note = "the property list cannot be read: \(error)"
            }
        }
        if media == nil, tree == nil, data.count <= CellReader.detailLength,
            let decoded = String(data: data, encoding: .utf8),
            !decoded.unicodeScalars.contains(where: { $0.value < 32 && !"\n\r\t".unicodeScalars.contains($0) })
        {
            text = decoded
            if !decoded.isEmpty, title == "bytes" { title = "text" }
        }
    }

    private static func hex(_ data: Data) -> [String] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)]
            let offset = String(start, radix: 16)
            let codes = line.map { CollectionOfOne($0).hexadecimal }.joined(separator: " ")
            let characters = String(line.map { (32..<127).contains($0) ? Character(Unicode.Scalar($0)) : "·" })
            return String(repeating: "0", count: max(0, 6 - offset.count)) + offset + "  "
                + codes.padding(toLength: 49, withPad: " ", startingAt: 0) + characters
        }
    }
}
