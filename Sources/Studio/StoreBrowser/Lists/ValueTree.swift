internal import CompiledModel
internal import Diagnostics
internal import Foundation
internal import StoreDoctor

/// Creates a tree from a property list, or from the objects in a keyed archive.
///
/// A keyed archive is read as data: the names of its classes are shown, but no class is ever looked up.
struct ValueTree {
    typealias Node = ValueDetails.Node

    /// The maximum number of values in a tree: archives can refer to an object many times.
    static let nodeLimit = 5000
    private static let depthLimit = 60

    private let value: PropertyListValue
    private let objects: [PropertyListValue]
    /// Whether the value is a keyed archive.
    let isArchive: Bool
    /// Whether values were left out.
    private(set) var isCut = false
    private var count = 0
    private var path: [Int] = []

    init(_ value: PropertyListValue) {
        self.value = value
        if value["$archiver"]?.string != nil, case .array(let objects)? = value["$objects"] {
            self.objects = objects
            isArchive = true
        } else {
            objects = []
            isArchive = false
        }
    }

    mutating func root() -> Node {
        guard isArchive, let top = value["$top"]?.dictionary else { return node(nil, value) }
        if top.count == 1 { return node(nil, top[0].value) }
        return Node(key: nil, type: "Archive", text: nil, children: top.map { node($0.key, $0.value) })
    }

    private mutating func node(_ key: String?, _ value: PropertyListValue) -> Node {
        count += 1
        guard count <= Self.nodeLimit, path.count < Self.depthLimit else {
            isCut = true
            return Node(key: key, type: "…", text: "…", children: nil)
        }
        switch value {
        case .uid(let index) where isArchive: return object(key, index)
        case .array(let items), .set(let items):
            let isSet = if case .set = value { true } else { false }
            return list(key, type: isSet ? "Set" : "Array", items: items)
        case .dictionary(let entries):
            path.append(-1)
            defer { path.removeLast() }
            return Node(
                key: key, type: "Dictionary (\(entries.count))", text: nil,
                children: entries.prefix(Self.nodeLimit).map { node($0.key, $0.value) })
        default: return leaf(key, value)
        }
    }

    private mutating func list(_ key: String?, type: String, items: [PropertyListValue]) -> Node {
        path.append(-1)
        defer { path.removeLast() }
        let children = items.prefix(Self.nodeLimit).enumerated().map { node("\($0.offset)", $0.element) }
        return Node(key: key, type: "\(type) (\(items.count))", text: nil, children: children)
    }

    private func leaf(_ key: String?, _ value: PropertyListValue) -> Node {
        func make(_ type: String, _ text: String) -> Node { Node(key: key, type: type, text: text, children: nil) }
        return switch value {
        case .boolean(let flag): make("Boolean", flag ? "true" : "false")
        case .integer(let number): make("Integer", "\(number)")
        case .unsigned(let number): make("Integer", "\(number)")
        case .real(let number): make("Real", "\(number)")
        case .float(let number): make("Real", "\(number)")
        case .date(let seconds): make("Date", Self.dateText(seconds))
        case .data(let bytes): make("Data", Self.bytesText(bytes))
        case .string(let text): make("String", String(text.prefix(2000)))
        case .uid(let index): make("UID", "\(index)")
        case .array, .set, .dictionary: make("", "")
        }
    }

    static func dateText(_ seconds: Double) -> String {
        DateText.text(ofSeconds: seconds) ?? "\(seconds)"
    }

    private static func bytesText(_ bytes: [UInt8]) -> String {
        "\(bytes.count) bytes: \(bytes.prefix(32).hexadecimal)\(bytes.count > 32 ? "…" : "")"
    }

    // MARK: Archives

    private mutating func object(_ key: String?, _ index: Int) -> Node {
        guard objects.indices.contains(index) else { return Node(key: key, type: "missing object", text: "\(index)") }
        if case .string("$null") = objects[index] { return Node(key: key, type: "nil", text: "nil") }
        guard !path.contains(index) else { return Node(key: key, type: "reference", text: "to an object above") }
        path.append(index)
        defer { path.removeLast() }
        guard let fields = objects[index].dictionary, let name = className(objects[index]) else {
            return node(key, objects[index])
        }
        return foundationNode(key, name: name, object: objects[index])
            ?? Node(
                key: key, type: name, text: nil,
                children: fields.filter { $0.key != "$class" }.map { node($0.key, $0.value) })
    }

    private func className(_ object: PropertyListValue) -> String? {
        guard case .uid(let index)? = object["$class"], objects.indices.contains(index) else { return nil }
        return objects[index]["$classname"]?.string
    }

    /// Returns the node for an object of a Foundation class whose archive format is known.
    private mutating func foundationNode(_ key: String?, name: String, object: PropertyListValue) -> Node? {
        switch name {
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            guard case .array(let items)? = object["NS.objects"] else { return nil }
            return list(key, type: name, items: items)
        case "NSDictionary", "NSMutableDictionary":
            guard case .array(let keys)? = object["NS.keys"], case .array(let values)? = object["NS.objects"] else {
                return nil
            }
            let children = zip(keys, values).map { pair in
                node(text(of: pair.0), pair.1)
            }
            return Node(key: key, type: "\(name) (\(children.count))", text: nil, children: children)
        case "NSString", "NSMutableString": return object["NS.string"].map { leaf(key, $0) }
        case "NSData", "NSMutableData": return object["NS.data"].map { leaf(key, $0) }
        case "NSDate":
            guard case .real(let seconds)? = object["NS.time"] else { return nil }
            return Node(key: key, type: name, text: Self.dateText(seconds))
        case "NSUUID":
            guard let bytes = object["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
            let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            return Node(key: key, type: name, text: uuid.uuidString)
        default: return nil
        }
    }

    private func text(of key: PropertyListValue) -> String {
        guard case .uid(let index) = key, objects.indices.contains(index) else { return key.string ?? "?" }
        return objects[index].string ?? objects[index]["NS.string"]?.string ?? "object \(index)"
    }
}
