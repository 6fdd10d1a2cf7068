internal import Diagnostics
internal import Foundation

/// The rows of a CSV or JSON file.
struct ImportedTable {
    /// A value in a file.
    enum Field: Hashable {
        /// JSON's `null`.
        case null
        /// An empty CSV field without quotes, which cannot tell an empty text from no value.
        case empty
        case text(String)
        /// An array of strings.
        case list([String])
        /// A value that no property has, in words.
        case unsupported(String)

        /// The form of the value, in words.
        var kind: String {
            switch self {
            case .null, .empty: "no value"
            case .text: "a single value"
            case .list: "an array"
            case .unsupported(let kind): kind
            }
        }
    }

    struct Row {
        var number: Int
        var line: Int?
        var fields: [String: Field]
    }

    /// The names of the columns, in the order of the file.
    var columns: [String] = []
    /// The rows that could be read.
    var rows: [Row] = []
    /// The rows that could not be read.
    var problems: [ImportReport.Problem] = []

    /// Reads a file.
    ///
    /// - Throws: `StoreProblem` if the file does not have the format.
    init(_ text: String, _ format: ExportFormat) throws(StoreProblem) {
        switch format {
        case .csv: try readCSV(text)
        case .json: try readJSON(text)
        }
    }

    /// Whether a row has a value in a column: exports write a composite attribute without one as `null`.
    func hasValues(in column: String) -> Bool {
        rows.contains { row in row.fields[column].map { ![.null, .empty, .list([])].contains($0) } ?? false }
    }

    // MARK: CSV

    private mutating func readCSV(_ text: String) throws(StoreProblem) {
        var records = try CSVReader(text).records()
        guard !records.isEmpty else { throw StoreProblem("the file is empty") }
        columns = records.removeFirst().fields.map { $0.text.trimmingCharacters(in: .whitespaces) }
        var seen: Set<String> = []
        for column in columns where !seen.insert(column).inserted {
            throw StoreProblem("two columns have the name “\(column)”", help: "Rename or remove one of them.")
        }
        for (index, record) in records.enumerated() {
            guard record.fields.count == columns.count else {
                let count = record.fields.count
                problems.append(
                    ImportReport.Problem(
                        row: index + 1, line: record.line, column: nil,
                        message: "the row has \(count) \(count == 1 ? "field" : "fields") for \(columns.count) columns")
                )
                continue
            }
            let fields = zip(columns, record.fields).map { column, field in
                (column, field.text.isEmpty && !field.isQuoted ? Field.empty : .text(field.text))
            }
            rows.append(
                Row(number: index + 1, line: record.line, fields: Dictionary(fields) { first, _ in first }))
        }
    }

    // MARK: JSON

    private mutating func readJSON(_ text: String) throws(StoreProblem) {
        let content: ParsedJSON
        do throws(ParsedJSON.Failure) {
            content = try ParsedJSON.parse(Array(text.utf8))
        } catch {
            throw StoreProblem("the file is not valid JSON: \(error.message)")
        }
        guard case .array(let values) = content else {
            throw StoreProblem("the file is not an array", help: "Write an array of objects: [{\"name\": \"value\"}]")
        }
        var seen: Set<String> = []
        for (index, value) in values.enumerated() {
            guard case .object(let members) = value else {
                problems.append(
                    ImportReport.Problem(
                        row: index + 1, line: nil, column: nil,
                        message: "the element is \(Self.kind(of: value)), not an object"))
                continue
            }
            var fields: [String: Field] = [:]
            Self.add(members, path: "", fields: &fields)
            columns += fields.keys.sorted().filter { seen.insert($0).inserted }
            rows.append(Row(number: index + 1, line: nil, fields: fields))
        }
    }

    private static func kind(of value: ParsedJSON) -> String {
        switch value {
        case .null, .array, .object: value.typeName
        case .bool, .number, .string: "a single value"
        }
    }

    /// Adds members, with a key path for those of nested objects.
    private static func add(
        _ members: [(key: String, value: ParsedJSON)], path: String, fields: inout [String: Field]
    ) {
        for (name, value) in members {
            switch value {
            case .object(let inner) where !inner.isEmpty: add(inner, path: "\(path)\(name).", fields: &fields)
            case .null: fields[path + name] = .null
            case .bool, .number, .string: if let text = Self.text(value) { fields[path + name] = .text(text) }
            case .array(let elements):
                let texts = elements.compactMap(Self.text)
                fields[path + name] = texts.count == elements.count ? .list(texts) : .unsupported(value.typeName)
            case .object: fields[path + name] = .unsupported(value.typeName)
            }
        }
    }

    /// Returns the text of a single value; `nil` for any other.
    private static func text(_ value: ParsedJSON) -> String? {
        switch value {
        case .bool(let truth): truth ? "true" : "false"
        case .number(let digits): plain(digits)
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .null, .object, .array: nil
        }
    }

    /// Returns a number without an exponent and zeros at the end, so that `1.0` and `1e3` are integers too.
    private static func plain(_ digits: String) -> String {
        guard digits.utf8.contains(where: ".eE".utf8.contains) else { return digits }
        return Decimal(string: digits).map { "\($0)" } ?? digits
    }
}
