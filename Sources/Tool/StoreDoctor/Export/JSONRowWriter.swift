internal import CoreData

/// Writes rows as JSON Lines.
final class JSONRowWriter: RowTextWriter {
    static let fileExtension = "jsonl"

    /// A member of an object. An object itself, because each cell would retain and release the parts of a value.
    private final class Member {
        enum Kind {
            case attribute(column: Int32, type: NSAttributeType, isExternal: Bool)
            /// A composite attribute, with the columns of all of its elements.
            case composite([Member], columns: [Int32])
            case toOne(key: Int32, entity: Int32?, destination: Int)
            case toMany(cursor: Int)
        }

        /// The name as `,"name":`.
        let name: [UInt8]
        /// The name of the property.
        let property: String
        let kind: Kind

        init(name: [UInt8], property: String, _ kind: Kind) {
            self.name = name
            self.property = property
            self.kind = kind
        }

        var isAttribute: Bool {
            switch kind {
            case .attribute, .composite: true
            case .toOne, .toMany: false
            }
        }
    }

    private let plan: ExportPlan
    private let context: TextExport.Context
    /// The form of an entity's objects.
    private struct Form {
        /// `,"_entity":"Book"`
        var entity: [UInt8]
        var members: [Member]
    }

    private var forms: [Int: Form] = [:]
    /// The members of nested objects, by the number of their entity.
    private var nestedMembers: [Int: [Member]] = [:]
    private var nested: NestedObjects?

    init(_ plan: ExportPlan, _ context: TextExport.Context) {
        self.plan = plan
        self.context = context
        for hierarchy in plan.hierarchies {
            for (number, entity) in hierarchy.entities { add(entity, number) }
        }
        if plan.options.relationships == .nested { nested = NestedObjects(plan) }
    }

    private func add(_ entity: ExportPlan.Entity, _ number: Int) {
        var text: [UInt8] = []
        text.append(",\"_entity\":")
        text.append(json: entity.layout.name)
        forms[number] = Form(entity: text, members: Self.members(entity.properties))
    }

    /// Returns the name of a property in JSON. Names that start with an underscore get another underscore, because `_`
    /// marks the format's own keys.
    static func memberName(_ name: String) -> String { name.hasPrefix("_") ? "_" + name : name }

    private static func key(_ name: String) -> [UInt8] {
        var result: [UInt8] = [0x2C]
        result.append(json: memberName(name))
        result.append(0x3A)
        return result
    }

    private static func members(_ properties: [ExportPlan.Property]) -> [Member] {
        members(properties.map { (path: $0.name.split(separator: ".").map(String.init)[...], property: $0) })
    }

    private static func members(
        _ properties: [(path: ArraySlice<String>, property: ExportPlan.Property)]
    ) -> [Member] {
        var result: [Member] = []
        var index = 0
        while index < properties.count {
            let (path, property) = properties[index]
            let name = key(path.first ?? property.name)
            func add(_ kind: Member.Kind) {
                result.append(Member(name: name, property: property.name, kind))
            }
            guard path.count > 1 else {
                switch property.kind {
                case .attribute(let column, let attribute):
                    add(.attribute(column: column, type: attribute.type, isExternal: attribute.isExternal))
                case .toOne(let key, let entity, _, let toOne):
                    add(.toOne(key: key, entity: entity, destination: toOne.destination))
                case .toMany(let cursor): add(.toMany(cursor: cursor))
                }
                index += 1
                continue
            }
            let group = properties[index...].prefix { $0.path.count > 1 && $0.path.first == path.first }
            let columns = group.compactMap { member -> Int32? in
                if case .attribute(let column, _) = member.property.kind { column } else { nil }
            }
            let elements = members(group.map { ($0.path.dropFirst(), $0.property) })
            add(.composite(elements, columns: columns))
            index += group.count
        }
        return result
    }

    func start(_ entities: [ExportPlan.Entity], of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer) {}

    func write(
        _ row: RowScan.Row, of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer
    ) throws(StoreExporter.Failure) {
        guard let form = forms[row.entity.number] else { return }
        // A local array is faster to append to than one of an object.
        var bytes: [UInt8] = []
        swap(&bytes, &output.bytes)
        defer { swap(&bytes, &output.bytes) }
        bytes.append("{\"_id\":")
        plan.append(key: row.key, entity: row.entity.number, to: &bytes)
        bytes.append(contentsOf: form.entity)
        for member in form.members { try write(member, of: row, to: &bytes) }
        bytes.append("}\n")
    }

    private func write(
        _ member: Member, of row: RowScan.Row, to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        switch member.kind {
        case .attribute, .composite:
            try write(member, from: row.statement, key: row.key, of: row.entity, to: &bytes)
        case .toOne(let key, let entity, let destination):
            bytes.append(contentsOf: member.name)
            guard let destination = Reference.read(row.statement, key, entity: entity, of: destination),
                context.isKnown(destination, of: row.entity, member.property)
            else {
                return bytes.append("null")
            }
            try write(destination, to: &bytes)
        case .toMany(let cursor):
            bytes.append(contentsOf: member.name)
            bytes.append(0x5B)
            var isFirst = true
            try row.forEachMember(cursor) { key, number throws(StoreExporter.Failure) in
                let destination = Reference(key: key, entity: number)
                guard context.isKnown(destination, of: row.entity, member.property) else { return }
                if !isFirst { bytes.append(0x2C) }
                isFirst = false
                try write(destination, to: &bytes)
            }
            bytes.append(0x5D)
        }
    }

    /// Writes a destination: its key, or its attributes.
    private func write(_ destination: Reference, to bytes: inout [UInt8]) throws(StoreExporter.Failure) {
        if let nested {
            let isFound = try nested.read(destination) { statement, entity throws(StoreExporter.Failure) in
                if nestedMembers[entity.number] == nil {
                    nestedMembers[entity.number] = Self.members(entity.properties)
                }
                bytes.append("{\"_id\":")
                plan.append(key: destination.key, entity: destination.entity, to: &bytes)
                for member in nestedMembers[entity.number] ?? [] where member.isAttribute {
                    try write(member, from: statement, key: destination.key, of: entity, to: &bytes)
                }
                bytes.append(0x7D)
            }
            if isFound { return }
        }
        plan.append(key: destination.key, entity: destination.entity, to: &bytes)
    }

    private func write(
        _ member: Member, from statement: OpaquePointer, key: Int64, of entity: ExportPlan.Entity,
        to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        bytes.append(contentsOf: member.name)
        switch member.kind {
        case .attribute(let column, let type, let isExternal):
            let form = StoredForm(statement, column, type: type, isExternal: isExternal)
            try write(form, key: key, of: entity, property: member.property, to: &bytes)
        case .composite(let elements, let columns):
            guard columns.contains(where: { !Reference.isNull(statement, $0) }) else { return bytes.append("null") }
            let start = bytes.count
            for element in elements { try write(element, from: statement, key: key, of: entity, to: &bytes) }
            // Instead of the comma before the first element.
            bytes[start] = 0x7B
            bytes.append(0x7D)
        case .toOne, .toMany: bytes.append("null")
        }
    }

    // MARK: Values

    private func write(
        _ form: StoredForm, key: Int64, of entity: ExportPlan.Entity, property: String, to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        switch form {
        case .null: bytes.append("null")
        case .integer(let number):
            if plan.options.writesBigIntegersAsText, number.magnitude > 1 << 53 {
                bytes.append(0x22)
                bytes.append(number: number)
                bytes.append(0x22)
            } else {
                bytes.append(number: number)
            }
        case .boolean(let flag): if flag { bytes.append("true") } else { bytes.append("false") }
        case .real(let number): bytes.append(json: number)
        case .float(let number):
            if number.isFinite, Double(Float(number)) != number { return append(.real(number), to: &bytes) }
            if number.isFinite {
                bytes.append(text: ExportedNumber.text(float: number))
            } else {
                bytes.append(json: number)
            }
        case .wholeDecimal(let number):
            bytes.append(0x22)
            bytes.append(number: number)
            bytes.append(0x22)
        case .realDecimal(let number): bytes.append(json: ExportedNumber.text(decimal: number))
        case .notANumber: bytes.append("\"NaN\"")
        case .date(let seconds): append(date: seconds, to: &bytes)
        case .text(let text): append(text: text, to: &bytes)
        case .uuid(let uuid):
            bytes.append(0x22)
            bytes.append(uuid: uuid)
            bytes.append(0x22)
        case .bytes(let content):
            try append(content, isArchive: false, key: key, of: entity, property: property, to: &bytes)
        case .archive(let content):
            try append(content, isArchive: true, key: key, of: entity, property: property, to: &bytes)
        case .file(let name, let isArchive):
            if let file = try context.copy(external: name, key: key, entity, property) {
                return append(file: file, to: &bytes)
            }
            guard let content = context.externalBytes(name, of: entity.layout.name, property) else {
                bytes.append("{\"$missing\":")
                bytes.append(json: name)
                return bytes.append(0x7D)
            }
            // Closures with typed errors cannot be passed to withUnsafeBytes.
            let outcome = content.withUnsafeBytes { content in
                Result<Void, StoreExporter.Failure> { () throws(StoreExporter.Failure) in
                    try append(content, isArchive: isArchive, key: key, of: entity, property: property, to: &bytes)
                }
            }
            try outcome.get()
        case .other(let value): append(value, to: &bytes)
        }
    }

    private func append(date seconds: Double, to bytes: inout [UInt8]) {
        switch plan.options.dates {
        case .iso: if !ISODate.append(seconds, to: &bytes) { append(.real(seconds), to: &bytes) }
        case .seconds: bytes.append(json: seconds)
        case .unix: bytes.append(json: seconds + 978_307_200)
        }
    }

    private func append(text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        guard PlainText.isValid(text) else {
            return append(.text(text), to: &bytes)
        }
        bytes.append(json: text)
    }

    private func append(
        _ content: UnsafeRawBufferPointer, isArchive: Bool, key: Int64, of entity: ExportPlan.Entity, property: String,
        to bytes: inout [UInt8]
    ) throws(StoreExporter.Failure) {
        if let file = try context.file(content, key: key, of: entity, property) {
            return append(file: file, to: &bytes)
        }
        guard isArchive else {
            bytes.append(0x22)
            bytes.append(base64: content)
            return bytes.append(0x22)
        }
        guard let value = ArchiveJSON.text(content) else { return append(.bytes(content), to: &bytes) }
        bytes.append("{\"$value\":")
        bytes.append(contentsOf: value)
        bytes.append(",\"$archive\":\"")
        bytes.append(base64: content)
        bytes.append("\"}")
    }

    private func append(file: String, to bytes: inout [UInt8]) {
        bytes.append("{\"$file\":")
        bytes.append(json: file)
        bytes.append(0x7D)
    }

    /// Appends a value that the type of its attribute does not have.
    private func append(_ value: StoredForm.Other, to bytes: inout [UInt8]) {
        switch value {
        case .integer(let number):
            bytes.append("{\"$integer\":")
            bytes.append(number: number)
        case .real(let number):
            bytes.append("{\"$real\":")
            bytes.append(json: number)
        case .text(let text):
            guard PlainText.isValid(text) else {
                bytes.append("{\"$textBytes\":\"")
                bytes.append(base64: text)
                return bytes.append("\"}")
            }
            bytes.append("{\"$text\":")
            bytes.append(json: text)
        case .bytes(let content):
            bytes.append("{\"$bytes\":\"")
            bytes.append(base64: content)
            bytes.append(0x22)
        }
        bytes.append(0x7D)
    }
}
