internal import CompiledModel

/// Keyed archives as JSON, for the classes whose archives are known. No class is looked up and no code is run.
struct ArchiveJSON {
    /// Values of unknown classes, or an archive that refers to an object too often.
    private struct Unsupported: Error {}

    /// The maximum number of values: archives can refer to an object many times.
    private static let valueLimit = 20_000
    private static let depthLimit = 64
    private static let sizeLimit = 16 << 20
    /// The maximum size of the JSON: an archive can refer to a large text many times.
    static let outputLimit = 4 * sizeLimit

    private let outputLimit: Int
    private let objects: [PropertyListValue]
    private var count = 0
    private var path: [Int] = []
    private var bytes: [UInt8] = []

    /// Returns the JSON of an archive; `nil` if the bytes are not an archive, or if it has objects of other classes.
    static func text(_ archive: UnsafeRawBufferPointer, outputLimit: Int = outputLimit) -> [UInt8]? {
        guard archive.count <= sizeLimit, archive.starts(with: "bplist00".utf8),
            let list = try? PropertyListValue(binary: [UInt8](archive)),
            list["$archiver"]?.string == "NSKeyedArchiver", case .array(let objects)? = list["$objects"],
            let top = list["$top"]?.dictionary, top.count == 1, case .uid(let root) = top[0].value
        else { return nil }
        var writer = ArchiveJSON(objects: objects, outputLimit: outputLimit)
        do throws(Unsupported) {
            try writer.object(root)
        } catch {
            return nil
        }
        return writer.bytes
    }

    private init(objects: [PropertyListValue], outputLimit: Int) {
        self.objects = objects
        self.outputLimit = outputLimit
    }

    private mutating func enter() throws(Unsupported) {
        count += 1
        guard count <= Self.valueLimit, path.count < Self.depthLimit, bytes.count <= outputLimit else {
            throw Unsupported()
        }
    }

    private mutating func object(_ index: Int) throws(Unsupported) {
        try enter()
        guard objects.indices.contains(index), !path.contains(index) else { throw Unsupported() }
        path.append(index)
        defer { path.removeLast() }
        let object = objects[index]
        guard object.dictionary != nil else {
            // `$null` is the object at index 0; the same text elsewhere is a text.
            return index == 0 ? bytes.append("null") : try plain(object)
        }
        guard case .uid(let number)? = object["$class"], objects.indices.contains(number),
            let name = objects[number]["$classname"]?.string
        else { throw Unsupported() }
        try known(name, object)
    }

    private mutating func plain(_ value: PropertyListValue) throws(Unsupported) {
        guard bytes.count <= outputLimit else { throw Unsupported() }
        switch value {
        case .boolean(let flag): bytes.append(text: flag ? "true" : "false")
        case .integer(let number): bytes.append(number: number)
        case .unsigned(let number): bytes.append(text: "\(number)")
        case .real(let number) where !number.isNaN: bytes.append(json: number)
        case .float(let number) where !number.isNaN: bytes.append(json: Double(number))
        case .string(let text): bytes.append(json: text)
        case .date(let seconds): try date(seconds)
        case .data(let data): tagged("NSData") { $0.append(base64: data) }
        case .uid(let index): try object(index)
        case .real, .float, .array, .set, .dictionary: throw Unsupported()
        }
    }

    private mutating func date(_ seconds: Double) throws(Unsupported) {
        guard !seconds.isNaN else { throw Unsupported() }
        bytes.append("{\"$class\":\"NSDate\",\"value\":")
        if !ISODate.append(seconds, to: &bytes) { bytes.append(json: seconds) }
        bytes.append(0x7D)
    }

    private mutating func tagged(_ name: StaticString, _ body: (inout [UInt8]) -> Void) {
        bytes.append("{\"$class\":\"")
        bytes.append(name)
        bytes.append("\",\"value\":\"")
        body(&bytes)
        bytes.append("\"}")
    }

    private mutating func known(_ name: String, _ object: PropertyListValue) throws(Unsupported) {
        switch name {
        case "NSArray", "NSMutableArray": try items(object["NS.objects"])
        case "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            bytes.append("{\"$class\":")
            bytes.append(json: name)
            bytes.append(",\"items\":")
            try items(object["NS.objects"] ?? Self.numbered(object))
            bytes.append(0x7D)
        case "NSDictionary", "NSMutableDictionary": try dictionary(object)
        case "NSString", "NSMutableString":
            guard let text = object["NS.string"]?.string else { throw Unsupported() }
            bytes.append(json: text)
        case "NSData", "NSMutableData":
            guard let data = object["NS.data"]?.data else { throw Unsupported() }
            tagged("NSData") { $0.append(base64: data) }
        case "NSDate":
            guard case .real(let seconds)? = object["NS.time"] else { throw Unsupported() }
            try date(seconds)
        case "NSUUID":
            guard let uuid = object["NS.uuidbytes"]?.data, uuid.count == 16 else { throw Unsupported() }
            tagged("NSUUID") { bytes in uuid.withUnsafeBytes { bytes.append(uuid: $0) } }
        case "NSURL":
            guard let relative = object["NS.relative"], try isNull(object["NS.base"]) else { throw Unsupported() }
            bytes.append("{\"$class\":\"NSURL\",\"value\":")
            try plain(relative)
            bytes.append(0x7D)
        case "NSNull": bytes.append("{\"$class\":\"NSNull\"}")
        default: throw Unsupported()
        }
    }

    private func isNull(_ value: PropertyListValue?) throws(Unsupported) -> Bool {
        guard let value else { return true }
        guard case .uid(let index) = value else { throw Unsupported() }
        return index == 0
    }

    /// Returns the items of a set that has a key for each, as old archives do.
    private static func numbered(_ object: PropertyListValue) -> PropertyListValue? {
        var result: [PropertyListValue] = []
        let values = Dictionary((object.dictionary ?? []).map { ($0.key, $0.value) }) { first, _ in first }
        while let item = values["NS.object.\(result.count)"] { result.append(item) }
        return .array(result)
    }

    private mutating func items(_ value: PropertyListValue?) throws(Unsupported) {
        guard case .array(let items)? = value else { throw Unsupported() }
        bytes.append(0x5B)
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            try plain(item)
        }
        bytes.append(0x5D)
    }

    private mutating func dictionary(_ object: PropertyListValue) throws(Unsupported) {
        guard case .array(let keys)? = object["NS.keys"], case .array(let values)? = object["NS.objects"],
            keys.count == values.count
        else { throw Unsupported() }
        bytes.append(0x7B)
        for (index, (key, value)) in zip(keys, values).enumerated() {
            guard case .uid(let number) = key, objects.indices.contains(number),
                let name = objects[number].string ?? objects[number]["NS.string"]?.string
            else { throw Unsupported() }
            if index > 0 { bytes.append(0x2C) }
            // Keys with a dollar sign are those of this format.
            bytes.append(json: name.hasPrefix("$") ? "$" + name : name)
            bytes.append(0x3A)
            try plain(value)
        }
        bytes.append(0x7D)
    }
}

extension [UInt8] {
    mutating func append(base64 bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(base64: $0) }
    }
}
