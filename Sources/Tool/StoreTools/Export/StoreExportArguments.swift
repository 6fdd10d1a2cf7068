package import ArgumentParser
internal import ModelcDriver
internal import StoreDoctor

extension StoreExporter.Format: ExpressibleByArgument {}
extension StoreExporter.Relationships: ExpressibleByArgument {}
extension StoreExporter.Dates: ExpressibleByArgument {}

/// `modelc store export`: exports the objects of a store as typed data.
package struct StoreExportCommand: ModelCommand {
    package static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export the objects of a store as JSON Lines, CSV, a database or views.",
        discussion: """
            The names are those of the model. Dates are ISO 8601 with all digits (views: milliseconds), decimal numbers exact, UUIDs text, \
            composite attributes nested, archives of known classes decoded without running code, and binary data base64 \
            or files. Objects have keys such as Book/3, which relationships refer to. JSON Lines is lossless, except with \
            --dates unix: `modelc store import` makes an equal store of it.

            The formats jsonl and csv are a folder with a file for each entity, and schema.json and schema.sql, which \
            describe the columns. sqlite is a new database with a table for each entity. views is a SQL script that names \
            the tables of the store itself. The store may be in use; it stays as it is, byte for byte. What is exported is \
            one state of it: if an app starts to write meanwhile, the export starts again, or fails if it is a stream.

            EXAMPLES
              modelc store export books.sqlite --output books
              modelc store export books.sqlite --entity Book --where "pages > 100" --output -
              modelc store export books.sqlite --format csv --columns title,author --output books
              modelc store export books.sqlite --format sqlite --output plain.sqlite
              modelc store export books.sqlite --format views --output views.sql

            EXIT CODES
              0  Done.
              1  Done, but some values could not be read or represented.
              2  The command could not run, and no export was made. A stream is incomplete.
            """
    )

    /// The files of a hierarchy of entities.
    enum Inheritance: String, ExpressibleByArgument, CaseIterable {
        case entity
        case root
    }

    @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
    var path: String

    @Option(help: "The format: jsonl, csv, sqlite or views.")
    var format = StoreExporter.Format.jsonl

    @Option(
        name: [.customLong("output"), .customShort("o")],
        help: ArgumentHelp(
            "The folder (jsonl, csv) or file (sqlite, views) to write, or - for the output stream. (required)",
            valueName: "path"), completion: .file())
    var outputPath: String

    @Option(
        name: .customLong("entity"), parsing: .singleValue,
        help: ArgumentHelp(
            "Export only this entity and its subentities. Can be given several times.", valueName: "entity"))
    var entities: [String] = []

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: ArgumentHelp(
            "Export only objects of the entity, or of the only --entity, that match. Can be given several times.",
            valueName: "[entity:]predicate"))
    var conditions: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Export only these properties. Can be given several times.", valueName: "[entity.]property,…"))
    var columns: [String] = []

    @Option(help: "The form of relationships: ids, none, or nested (jsonl: with the attributes of their objects).")
    var relationships = StoreExporter.Relationships.ids

    @Option(help: "The form of dates: iso, seconds (since 2001) or unix (seconds since 1970).")
    var dates = StoreExporter.Dates.iso

    @Option(help: "A file for each entity, or for each hierarchy: entity or root.")
    var inheritance = Inheritance.entity

    @Option(help: ArgumentHelp("The maximum number of objects of each entity.", valueName: "number"))
    var limit: Int?

    @Option(
        help: ArgumentHelp("The size above which a binary value is written to a separate file.", valueName: "bytes"))
    var inlineLimit = 65_536

    @Flag(name: .customLong("bigint-as-string"), help: "Write integers beyond 2^53 as text (jsonl).")
    var writesBigIntegersAsText = false

    @Flag(help: "Put an apostrophe before text that spreadsheets interpret as a formula (csv).")
    var escapeFormulas = false

    @Option(
        name: .customLong("model"),
        help: "The model, in any form; the version with the store's hashes is used. (default: the one in the store)",
        completion: .file())
    var modelPath: String?

    @Flag(name: .customLong("force"), help: "Replace an earlier export. Nothing else is ever replaced or removed.")
    var replaces = false

    package init() {}

    package func validate() throws {
        guard limit.map({ $0 >= 0 }) ?? true else { throw ValidationError("--limit must not be negative.") }
        guard inlineLimit >= 0 else { throw ValidationError("--inline-limit must not be negative.") }
        guard format == .jsonl || relationships != .nested else {
            throw ValidationError("--relationships nested is for the format jsonl.")
        }
        guard format != .sqlite || outputPath != "-" else {
            throw ValidationError("A database cannot be written to the output stream; specify a file with --output.")
        }
        guard !outputPath.isEmpty else { throw ValidationError("--output must not be empty.") }
    }
}
