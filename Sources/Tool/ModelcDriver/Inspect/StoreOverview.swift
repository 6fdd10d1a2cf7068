internal import CompiledModel
internal import Diagnostics
internal import StoreFile

/// What `modelc inspect` shows of a store before its model.
struct StoreOverview {
    let path: String
    /// The size of the file in bytes.
    let size: Int
    let uuid: String?
    /// The number of the framework that wrote last.
    let frameworkVersion: Int?
    /// The rows of each entity, without those of its subentities.
    let rows: [(entity: String, count: Int)]
    /// Whether the store has a copy of its model.
    let hasModel: Bool

    init(_ path: String, files: any FileSystem) throws(InputFailure) {
        let systemPath = files.systemPath(path)
        let store: StoreFile
        do throws(StoreFileError) {
            store = try StoreFile(path: systemPath)
            let counts = try StoreRows(path: systemPath).ownCounts
            rows = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        } catch {
            throw InputFailure(
                path, rule: .notAStore, message: error.message, help: error.help)
        }
        self.path = path
        if case .file(let count)? = files.kind(of: path) { size = count } else { size = 0 }
        uuid = store.uuid
        if case .integer(let number)? = store.metadata["NSPersistenceFrameworkVersion"] {
            frameworkVersion = Int(clamping: number)
        } else {
            frameworkVersion = nil
        }
        hasModel = store.modelArchive != nil
    }

    var text: String {
        var lines = ["store \(DisplayText.line(PathName.name(of: path)))"]
        func add(_ label: String, _ value: String) {
            lines.append("  \(label)\(String(repeating: " ", count: max(1, 12 - label.count)))\(value)")
        }
        add("size", ByteCount.text(Int64(size)))
        add("identifier", uuid.map { DisplayText.line($0) } ?? "none")
        add("framework", frameworkVersion.map(String.init) ?? "unknown")
        add("model", hasModel ? "in the store" : "not in the store")
        lines.append("")
        let width = max(6, rows.map(\.entity.count).max() ?? 0)
        let digits = max(4, rows.map { String($0.count).count }.max() ?? 0)
        func row(_ name: String, _ count: String) {
            let gap = width - name.count + 2 + digits - count.count
            lines.append("  \(DisplayText.line(name))\(String(repeating: " ", count: max(1, gap)))\(count)")
        }
        row("entity", "rows")
        for entity in rows { row(entity.entity, String(entity.count)) }
        lines.append("")
        if !hasModel {
            let word = DisplayText.line(ShellWord.quoted(path))
            lines += [
                "The store does not contain the model it was written with; stores of macOS 10.15, iOS 13 and later do.",
                "  modelc store info \(word) --against MODEL     which version of a model it is of",
                "  modelc store check \(word) --model MODEL      check it with the model",
                "",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSONValue {
        .object([
            ("size", .integer(size)), ("uuid", .optional(uuid)),
            ("frameworkVersion", frameworkVersion.map { .integer($0) } ?? .null), ("hasModel", .bool(hasModel)),
            ("rows", .object(rows.map { ($0.entity, .integer($0.count)) })),
        ])
    }
}
