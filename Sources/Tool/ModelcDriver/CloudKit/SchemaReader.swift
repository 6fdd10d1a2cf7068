internal import CloudKitSchema
internal import Diagnostics

struct SchemaReader {
    let files: any FileSystem

    /// The maximum size of a schema file, in bytes. Real schemas are a few tens of kilobytes.
    private static let sizeLimit = 16 << 20

    /// Reads a schema.
    ///
    /// - Parameter path: A path, or `REVISION:PATH` if there is no such path.
    /// - Throws: If there is no such file, or if it has errors.
    func read(_ path: String) throws(InputFailure) -> SchemaDocument {
        var source = files
        var shown = path
        if files.kind(of: path) == nil, let location = GitReader.Location(path) {
            source = try GitReader(files: files).read(location)
            shown = location.shown
        }
        let document = SchemaDocument(bytes: try Self.bytes(of: shown, in: source), path: shown)
        guard document.diagnostics.hasErrors else { return document }
        var excerpts = ExcerptRule(files: files)
        throw InputFailure(
            diagnostics: excerpts.withoutForeignText(document.diagnostics), lines: [shown: document.lines],
            exitCode: .couldNotRun)
    }

    private static func bytes(of path: String, in files: any FileSystem) throws(InputFailure) -> [UInt8] {
        switch files.kind(of: path) {
        case .file(let size)? where size <= sizeLimit:
            return try files.readInput(path)
        case .file(let size)?:
            throw InputFailure(
                path, rule: .fileTooLarge,
                message: "the file has \(size >> 20) MiB; modelc reads schemas of up to \(sizeLimit >> 20) MiB",
                help: "Specify a CloudKit schema.")
        case nil:
            throw InputFailure(path, rule: .noSuchFile, message: "there is no such file", help: "Check the path.")
        default:
            throw InputFailure(
                path, rule: .cloudkitSyntax, message: "this is not a CloudKit schema: it is not a regular file",
                help: "Specify a file written by “cktool export-schema”.")
        }
    }
}
