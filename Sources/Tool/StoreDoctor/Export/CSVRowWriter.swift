internal import CoreData

/// Writes rows as comma-separated values (RFC 4180): null is empty, and an empty text is in quotes.
final class CSVRowWriter: RowTextWriter {
    static let fileExtension = "csv"

    private let plan: ExportPlan
    private let context: TextExport.Context
    /// The names of the columns of a file, by the number of each entity in it.
    private var columns: [Int: [String]] = [:]
    /// For each entity, the property in each column of its file; `nil` where it has none.
    private var properties: [Int: [ExportPlan.Property?]] = [:]

    init(_ plan: ExportPlan, _ context: TextExport.Context) {
        self.plan = plan
        self.context = context
    }

    /// Returns the columns of a file, in the order in which entities have them.
    static func columns(of entities: [ExportPlan.Entity]) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for entity in entities {
            for property in entity.properties where known.insert(property.name).inserted { names.append(property.name) }
        }
        return names
    }

    func start(_ entities: [ExportPlan.Entity], of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer) {
        let names = Self.columns(of: entities)
        for entity in entities {
            let own = Dictionary(entity.properties.map { ($0.name, $0) }) { first, _ in first }
            properties[entity.number] = names.map { own[$0] }
        }
        for (index, name) in (["_id", "_entity"] + names.map(JSONRowWriter.memberName)).enumerated() {
            if index > 0 { output.bytes.append(0x2C) }
            Self.append(name, to: &output.bytes)
        }
        output.bytes.append("\r\n")
    }

    func write(
        _ row: RowScan.Row, of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer
    ) throws(StoreExporter.Failure) {
        // A local array is faster to append to than one of an object.
        var bytes: [UInt8] = []
        swap(&bytes, &output.bytes)
        defer { swap(&bytes, &output.bytes) }
        let number = row.entity.number
        appendKeys(to: &bytes) { append(Reference(key: row.key, entity: number), to: &$0) }
        bytes.append(0x2C)
        Self.append(row.entity.layout.name, to: &bytes)
        for property in properties[number] ?? [] {
            bytes.append(0x2C)
            guard let property else { continue }
            switch property.kind {
            case .attribute(let column, let attribute):
                let form = StoredForm(row.statement, column, type: attribute.type, isExternal: attribute.isExternal)
                try write(form, of: row, property: property.name, to: &bytes)
            case .toOne(let key, let entity, _, let toOne):
                if let reference = Reference.read(row.statement, key, entity: entity, of: toOne.destination),
                    context.isKnown(reference, of: row.entity, property.name)
                {
                    appendKeys(to: &bytes) { append(reference, to: &$0) }
                }
            case .toMany(let cursor):
                let start = bytes.count
                try row.forEachMember(cursor) { key, number throws(StoreExporter.Failure) in
                    let member = Reference(key: key, entity: number)
                    guard context.isKnown(member, of: row.entity, property.name) else { return }
                    if bytes.count > start { bytes.append(0x20) }
                    append(member, to: &bytes)
                }
                Self.quote(from: start, &bytes)
            }
        }
        bytes.append("\r\n")
    }

    private func append(_ reference: Reference, to bytes: inout [UInt8]) {
        bytes.append(text: plan.name(ofEntity: reference.entity) ?? "?")
        bytes.append(0x2F)
        bytes.append(number: reference.key)
    }

    /// Appends a value made of keys, which contain the names of entities.
    private func appendKeys(to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        body(&bytes)
        Self.quote(from: start, &bytes)
    }

    /// Puts what follows a position in quotes, if necessary.
    private static func quote(from start: Int, _ bytes: inout [UInt8]) {
        guard bytes.count > start, bytes.withUnsafeBytes({ needsQuotes($0[start...]) }) else { return }
        let text = Array(bytes[start...])
        bytes.removeSubrange(start...)
        text.withUnsafeBytes { append($0, to: &bytes) }
    }

    private static func needsQuotes(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        // An empty text differs from no value.
        text.isEmpty || text.first == 0x20 || text.last == 0x20
            || text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
    }

    private static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        guard needsQuotes(text[...]) else { return bytes.append(contentsOf: text) }
        bytes.append(0x22)
        for byte in text {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }

    // MARK: Values

    private func write(
        _ form: StoredForm, of row: RowScan.Row, property: String, to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        switch form {
        case .null: return
        case .integer(let number), .wholeDecimal(let number), .other(.integer(let number)): bytes.append(number: number)
        case .boolean(let flag): bytes.append(flag ? 0x31 : 0x30)
        case .real(let number), .other(.real(let number)): bytes.append(text: Self.text(number))
        case .float(let number):
            bytes.append(text: number.isFinite ? ExportedNumber.text(float: number) : Self.text(number))
        case .realDecimal(let number): bytes.append(text: ExportedNumber.text(decimal: number))
        case .notANumber: bytes.append("NaN")
        case .date(let seconds): append(date: seconds, to: &bytes)
        case .text(let text), .other(.text(let text)): append(text: text, of: row, property: property, to: &bytes)
        case .uuid(let uuid): bytes.append(uuid: uuid)
        case .bytes(let content), .other(.bytes(let content)):
            try append(content, of: row, property: property, to: &bytes)
        case .archive(let content): try append(archive: content, of: row, property: property, to: &bytes)
        case .file(let name, let isArchive):
            if let file = try context.copy(external: name, key: row.key, row.entity, property) {
                return Self.append(file, to: &bytes)
            }
            guard let content = context.externalBytes(name, of: row.entity.layout.name, property) else { return }
            let outcome = content.withUnsafeBytes { content in
                Result<Void, StoreExporter.Failure> { () throws(StoreExporter.Failure) in
                    if isArchive {
                        try append(archive: content, of: row, property: property, to: &bytes)
                    } else {
                        try append(content, of: row, property: property, to: &bytes)
                    }
                }
            }
            try outcome.get()
        }
    }

    private static func text(_ number: Double) -> String {
        number.isFinite ? "\(number)" : number < 0 ? "-Infinity" : "Infinity"
    }

    private func append(date seconds: Double, to bytes: inout [UInt8]) {
        switch plan.options.dates {
        case .iso:
            if !ISODate.append(seconds, quote: nil, to: &bytes) { bytes.append(text: Self.text(seconds)) }
        case .seconds: bytes.append(text: Self.text(seconds))
        case .unix: bytes.append(text: Self.text(seconds + 978_307_200))
        }
    }

    private func append(
        text: UnsafeRawBufferPointer, of row: RowScan.Row, property: String, to bytes: inout [UInt8]
    ) {
        var repaired: String?
        if !PlainText.isValid(text) {
            context.addProblem(row.entity.layout.name, property, reason: .invalidText)
            repaired = String(decoding: text, as: UTF8.self)
        }
        if plan.options.escapesFormulas, let first = text.first, ExportedText.startsFormula(first) {
            repaired = "'" + (repaired ?? String(decoding: text, as: UTF8.self))
        }
        if let repaired { Self.append(repaired, to: &bytes) } else { Self.append(text, to: &bytes) }
    }

    private func append(
        _ content: UnsafeRawBufferPointer, of row: RowScan.Row, property: String, to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        if let file = try context.file(content, key: row.key, of: row.entity, property) {
            Self.append(file, to: &bytes)
        } else if content.isEmpty {
            bytes.append("\"\"")
        } else {
            bytes.append(hex: content)
        }
    }

    private func append(
        archive content: UnsafeRawBufferPointer, of row: RowScan.Row, property: String, to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        guard content.count <= plan.options.inlineLimit || context.folder == nil,
            let value = ArchiveJSON.text(content)
        else { return try append(content, of: row, property: property, to: &bytes) }
        value.withUnsafeBytes { Self.append($0, to: &bytes) }
    }
}
