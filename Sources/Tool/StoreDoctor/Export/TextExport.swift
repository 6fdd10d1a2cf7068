internal import CoreData
internal import Foundation

/// Writes the rows of one format as text.
protocol RowTextWriter {
    static var fileExtension: String { get }

    /// Writes what comes before the rows of a file.
    func start(_ entities: [ExportPlan.Entity], of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer)

    func write(
        _ row: RowScan.Row, of hierarchy: ExportPlan.Hierarchy, to output: OutputBuffer
    ) throws(StoreExporter.Failure)
}

/// Exports a store as text: a file for each entity, or one stream.
final class TextExport {
    /// What writers share: large values, and what cannot be written as it is stored.
    final class Context {
        let plan: ExportPlan
        /// The folder of the export; `nil` for a stream.
        let folder: String?
        private var folders: Set<String> = []
        private var problems: [[String]: Int] = [:]

        init(_ plan: ExportPlan, folder: String?) {
            self.plan = plan
            self.folder = folder
        }

        func addProblem(
            _ entity: String, _ property: String, reason: StoreExporter.Problem.Reason, count: Int = 1
        ) {
            problems[[entity, property, reason.rawValue], default: 0] += count
        }

        /// Records the rows of a table that are not exported, or that no import accepts.
        func addRows(_ rows: [StoreExporter.Problem.Reason: Int], of hierarchy: ExportPlan.Hierarchy) {
            let name = plan.layout.entities.first { $0.table == hierarchy.table && $0.isRoot }?.name
            for (reason, count) in rows { addProblem(name ?? hierarchy.table, "", reason: reason, count: count) }
        }

        /// Returns what was exported.
        ///
        /// - Parameter counts: The numbers of objects by the numbers of their entities.
        func summary(_ counts: [Int: Int]) -> StoreExporter.Summary {
            var summary = StoreExporter.Summary()
            summary.counts = plan.hierarchies.flatMap(\.sortedEntities).map {
                ($0.layout.name, counts[$0.layout.number] ?? 0)
            }.sorted { $0.0 < $1.0 }
            summary.problems = problems.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, count in
                StoreExporter.Problem.Reason(rawValue: key[2]).map {
                    StoreExporter.Problem(entity: key[0], property: key[1], reason: $0, count: count)
                }
            }
            return summary
        }

        /// Returns whether the model has the entity of a destination; another one is a problem.
        func isKnown(_ reference: Reference, of entity: ExportPlan.Entity, _ property: String) -> Bool {
            if plan.name(ofEntity: reference.entity) != nil { return true }
            addProblem(entity.layout.name, property, reason: .unknownDestination)
            return false
        }

        /// Returns the bytes of an external file; `nil` if it cannot be read, which is a problem.
        func externalBytes(_ name: String, of entity: String, _ property: String) -> [UInt8]? {
            guard let file = ExternalValueFile("\(plan.examination.external.path)/\(name)"), let bytes = file.bytes()
            else {
                addProblem(entity, property, reason: .unreadableFile)
                return nil
            }
            return bytes
        }

        /// Copies an external file that is large to the export, part by part, and returns its path there; `nil` if it
        /// is small, cannot be read, or if the export is a stream.
        func copy(
            external name: String, key: Int64, _ entity: ExportPlan.Entity, _ property: String
        ) throws(StoreExporter.Failure) -> String? {
            guard folder != nil, let file = ExternalValueFile("\(plan.examination.external.path)/\(name)"),
                file.size > plan.options.inlineLimit
            else { return nil }
            return try write(key: key, of: entity, property: property) { target throws(StoreExporter.Failure) in
                var part = try file.part()
                while !part.isEmpty {
                    try target.write(part)
                    part = try file.part()
                }
            }
        }

        /// Writes a large value to a separate file, and returns the file's path in the export; `nil` if the value is
        /// small, or if the export is a stream.
        func file(
            _ bytes: UnsafeRawBufferPointer, key: Int64, of entity: ExportPlan.Entity, _ property: String
        ) throws(StoreExporter.Failure) -> String? {
            guard folder != nil, bytes.count > plan.options.inlineLimit else { return nil }
            return try write(key: key, of: entity, property: property) { target throws(StoreExporter.Failure) in
                try target.write([UInt8](bytes))
            }
        }

        private func write(
            key: Int64, of entity: ExportPlan.Entity, property: String,
            _ body: (NewFile) throws(StoreExporter.Failure) -> Void
        ) throws(StoreExporter.Failure) -> String {
            let index = entity.layout.properties.firstIndex { $0.name == property } ?? 0
            let (parent, name) = StoreExporter.valueFile(entity.layout, key: key, property: index, name: property)
            let path = "\(folder ?? "")/\(parent)"
            if folders.insert(parent).inserted {
                do {
                    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                } catch {
                    throw StoreExporter.Failure(
                        .output, "the folder “\(parent)” cannot be created", help: "Choose another --output.")
                }
            }
            // Nested objects are written for each reference to them.
            guard !FileManager.default.fileExists(atPath: "\(path)/\(name)") else { return "\(parent)/\(name)" }
            let file = try NewFile("\(path)/\(name)")
            try body(file)
            try file.finish()
            return "\(parent)/\(name)"
        }

        /// Waits until the names of all files are on the disk.
        func synchronizeFolders() throws(StoreExporter.Failure) {
            guard let folder else { return }
            for parent in folders { try NewFile.synchronize("\(folder)/\(parent)") }
            if !folders.isEmpty { try NewFile.synchronize("\(folder)/\(StoreExporter.valueFolder)") }
            try NewFile.synchronize(folder)
        }
    }

    private let plan: ExportPlan
    private let target: ExportTarget
    private let context: Context

    init(_ plan: ExportPlan, _ target: ExportTarget) throws(StoreExporter.Failure) {
        self.plan = plan
        self.target = target
        switch target.kind {
        case .folder(let path): context = Context(plan, folder: path)
        case .stream: context = Context(plan, folder: nil)
        case .file:
            throw StoreExporter.Failure(
                .output, "\(plan.options.format.rawValue) needs a folder", help: "Specify a folder with --output.")
        }
    }

    func run<Writer: RowTextWriter>(
        _ make: (Context) -> Writer
    ) throws(StoreExporter.Failure) -> StoreExporter.Summary {
        let writer = make(context)
        var counts: [Int: Int] = [:]
        let names = Set(plan.hierarchies.flatMap { $0.entities.values.map(\.fileName) })
        var shared: OutputBuffer?
        if case .stream(let write) = target.kind {
            guard Writer.fileExtension != "csv" || names.count <= 1 else {
                throw StoreExporter.Failure(
                    .output, "csv is a file for each entity, and \(names.count) are exported",
                    help: "Choose one with --entity and --inheritance root, or specify a folder with --output.")
            }
            shared = OutputBuffer(write)
        }
        var files: [(name: String, entities: [ExportPlan.Entity])] = []
        for hierarchy in plan.hierarchies {
            var outputs: [String: (writer: OutputBuffer, file: NewFile?)] = [:]
            for (name, entities) in Dictionary(grouping: hierarchy.sortedEntities, by: \.fileName).sorted(by: {
                $0.key < $1.key
            }) {
                if let shared {
                    outputs[name] = (shared, nil)
                } else if let folder = context.folder {
                    let file = try NewFile("\(folder)/\(name).\(Writer.fileExtension)")
                    outputs[name] = (OutputBuffer(file.write), file)
                }
                if let output = outputs[name]?.writer { writer.start(entities, of: hierarchy, to: output) }
                files.append((name, entities))
            }
            let byNumber = hierarchy.entities.mapValues { outputs[$0.fileName]?.writer }
            let irregular = try RowScan(plan: plan, hierarchy: hierarchy).run { row throws(StoreExporter.Failure) in
                guard let output = byNumber[row.entity.number] ?? nil else { return }
                counts[row.entity.number, default: 0] += 1
                try writer.write(row, of: hierarchy, to: output)
                try output.endRow()
            }
            context.addRows(irregular, of: hierarchy)
            for output in outputs.values {
                try output.writer.flush()
                try output.file?.finish()
            }
        }
        try shared?.flush()
        if let folder = context.folder {
            try ExportSchema(plan, counts: counts, fileExtension: Writer.fileExtension).write(to: folder)
            try context.synchronizeFolders()
        }
        return context.summary(counts)
    }
}
