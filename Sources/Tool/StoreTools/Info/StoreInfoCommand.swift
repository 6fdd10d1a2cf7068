internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import StoreDoctor

extension StoreInfoCommand {
    /// The format of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text.
        case text
        /// JSON, for programs.
        case json
    }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            try environment.files.requireStore(path)
            var matches: [ModelSet.Version]?
            if let modelPath { matches = try versions(of: modelPath, environment.files) }
            // A store without a model has that of the matching version.
            var model: NSManagedObjectModel?
            if let version = matches?.first { model = try version.managedObjectModel(try version.indexedModel()) }
            let summary: StoreSummary
            do throws(StoreDoctor.Failure) {
                let inside = try StoreDoctor(path: environment.files.systemPath(path)).summary()
                summary =
                    inside.modelSource == nil && model != nil
                    ? try StoreDoctor(path: environment.files.systemPath(path), model: model).summary() : inside
            } catch {
                throw StoreModelChoice.failure(error, path: path, environment: environment)
            }
            let names = matches?.map(\.name)
            switch format {
            case .text: environment.output(StoreInfoText(path: path, summary: summary, matches: names).text)
            case .json: environment.output(json(summary, names).text + "\n")
            }
            return .success
        }
    }

    /// Returns the versions of a model that have the store's hashes.
    private func versions(of name: String, _ files: any FileSystem) throws(InputFailure) -> [ModelSet.Version] {
        let hashes = try StoreSide.storeVersion(path, files).statedHashes
        return try ModelSetReader(files: files).read(name).versions.filter { version in
            guard let hashes, let expected = version.entityHashes else { return false }
            return expected == hashes
        }
    }

    private func json(_ summary: StoreSummary, _ matches: [String]?) -> JSONValue {
        guard case .object(var members) = summary.json(path: path) else { return .null }
        if let matches { members.append(("matches", .array(matches.map { .string($0) }))) }
        return .object(members)
    }
}

/// The summary of a store as text.
struct StoreInfoText {
    let path: String
    let summary: StoreSummary
    /// The names of the versions with the store's hashes; `nil` if none were compared.
    let matches: [String]?

    var text: String {
        var lines = [path]
        func add(_ label: String, _ value: String) {
            lines.append("  \(label)\(String(repeating: " ", count: max(1, 12 - label.count)))\(value)")
        }
        add(
            "size",
            "\(ByteCount.text(summary.size)), \(counted(summary.pages, "page")) of \(summary.pageSize) bytes, "
                + "\(summary.freePages) free"
        )
        add("log", summary.logFrames == 0 ? "none" : counted(summary.logFrames, "page"))
        add("identifier", summary.uuid ?? "none")
        add("framework", summary.frameworkVersion.map(String.init) ?? "unknown")
        if !summary.apps.isEmpty { add("apps", summary.apps.joined(separator: ", ")) }
        add(
            "model",
            summary.modelSource == "store" ? "in the store" : summary.modelSource == nil ? "none" : "not in the store")
        if let matches { add("versions", matches.isEmpty ? "none matches" : matches.joined(separator: ", ")) }
        if let history = summary.history {
            let times = [history.oldest, history.newest].compactMap { $0.flatMap(DateText.text(ofSeconds:)) }
            add(
                "history",
                "\(counted(history.transactions, "transaction")), \(counted(history.changes, "change"))"
                    + (times.count == 2 ? ", \(times[0]) to \(times[1])" : ""))
        } else {
            add("history", "none")
        }
        let files = summary.externalFiles
        add("external", files.count == 0 ? "none" : "\(counted(files.count, "file")), \(ByteCount.text(files.size))")
        guard !summary.entities.isEmpty else { return lines.joined(separator: "\n") + "\n" }
        lines.append("")
        let width = max(6, summary.entities.map(\.name.count).max() ?? 0)
        let rowWidth = max(4, summary.entities.map { String($0.rows).count }.max() ?? 0)
        func row(_ name: String, rows: String, size: String) {
            let gap = String(repeating: " ", count: width - name.count + 2 + rowWidth - rows.count)
            lines.append("  \(name)\(gap)\(rows)" + (size.isEmpty ? "" : "  \(size)"))
        }
        row("entity", rows: "rows", size: summary.sizes.isEmpty ? "" : "size of the table")
        for entity in summary.entities {
            row(entity.name, rows: String(entity.rows), size: summary.sizes[entity.name].map(ByteCount.text) ?? "")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
