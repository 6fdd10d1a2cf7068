import CompiledModel

/// A textual dump of an archive that shows which values are inline (`=`), by reference (`->`), null and absent.
///
/// Keys are sorted; repeated objects are only named.
struct ArchiveDump {
    private let objects: [PropertyListValue]
    private let root: Int
    private var shown: Set<Int> = []
    private var lines: [String] = []

    init(_ bytes: [UInt8]) throws {
        let archive = try PropertyListValue(binary: bytes)
        guard case .array(let objects)? = archive["$objects"], case .uid(let root)? = archive["$top"]?["root"] else {
            throw DumpError()
        }
        self.objects = objects
        self.root = root
    }

    struct DumpError: Error {}

    /// Returns the text of the object at a path of keys and names.
    static func text(_ bytes: [UInt8], _ path: String...) throws -> String {
        var dump = try ArchiveDump(bytes)
        var object = PropertyListValue.uid(dump.root)
        for step in path {
            guard let next = dump.child(step, of: object) else { throw DumpError() }
            object = next
        }
        dump.show(object, label: "", indent: 0)
        return dump.lines.joined(separator: "\n")
    }

    private func resolve(_ value: PropertyListValue) -> PropertyListValue {
        if case .uid(let number) = value { objects[number] } else { value }
    }

    private func entries(of object: PropertyListValue) -> [(String, PropertyListValue)]? {
        guard case .array(let keys)? = object["NS.keys"], case .array(let values)? = object["NS.objects"] else {
            return nil
        }
        return zip(keys.map { resolve($0).string ?? "?" }, values).sorted { $0.0 < $1.0 }
    }

    private func child(_ step: String, of value: PropertyListValue) -> PropertyListValue? {
        let object = resolve(value)
        if let entries = entries(of: object) { return entries.first { $0.0 == step }?.1 }
        if case .array(let elements)? = object["NS.objects"], let index = Int(step) { return elements[index] }
        return object[step]
    }

    private mutating func show(_ value: PropertyListValue, label: String, indent: Int) {
        let margin = String(repeating: "  ", count: indent)
        guard case .uid(let number) = value else {
            lines.append("\(margin)\(label) = \(plain(value))")
            return
        }
        let arrow = label.isEmpty ? margin : "\(margin)\(label) -> "
        guard number != 0 else { return lines.append(arrow + "null") }
        let object = objects[number]
        guard let name = object["$class"].map({ resolve($0)["$classname"]?.string ?? "?" }) else {
            return lines.append(arrow + plain(object))
        }
        let title =
            ["NSEntityName", "NSPropertyName", "NSIndexName"].compactMap { object[$0].map { resolve($0).string ?? "" } }
            .first.map { " “\($0)”" } ?? ""
        // Objects without names are short enough to be shown again.
        guard title.isEmpty || shown.insert(number).inserted, name != "NSManagedObjectModel" || indent == 0 else {
            return lines.append(arrow + name + title + " …")
        }
        lines.append(arrow + name + title)
        if let entries = entries(of: object) {
            for (key, element) in entries { show(element, label: "“\(key)”", indent: indent + 1) }
        } else if case .array(let elements)? = object["NS.objects"] {
            for element in elements { show(element, label: "-", indent: indent + 1) }
        } else {
            for entry in (object.dictionary ?? []).sorted(by: { $0.key < $1.key }) where entry.key != "$class" {
                show(entry.value, label: entry.key, indent: indent + 1)
            }
        }
    }

    private func plain(_ value: PropertyListValue) -> String {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .float(let value): "\(value)f"
        case .string(let text): "\"\(text)\""
        case .data(let bytes): "\(bytes)"
        default: "\(value)"
        }
    }
}
