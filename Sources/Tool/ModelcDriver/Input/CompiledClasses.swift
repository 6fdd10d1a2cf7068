internal import ModelLint
internal import ModelSource
internal import SwiftDataModel

/// The handwritten classes that are compiled with models, wherever they are in the models' targets.
struct CompiledClasses {
    private let reader: ModelInputReader
    private let files: any FileSystem
    private let isIncluded: (String) -> Bool
    private var membership: ModelMembership
    /// The sources that have been read, by normalized path.
    private var texts: [String: [UInt8]]
    /// The classes of sources by the identifier of these.
    private var classes: [String: SourceClasses?] = [:]

    /// - Parameters:
    ///   - found: The files that have been found and read.
    ///   - isIncluded: Returns whether a file may be read.
    init(
        _ found: ModelFinder.SearchResult, membership: ModelMembership, files: any FileSystem,
        isIncluded: @escaping (String) -> Bool
    ) {
        reader = ModelInputReader(files: files)
        self.files = files
        self.membership = membership
        self.isIncluded = isIncluded
        texts = Dictionary(found.sources.map { (ModelMembership.plain($0.path), $0.bytes) }) { first, _ in first }
    }

    /// Returns the classes in the sources that are compiled with a model; `nil` if there are none.
    mutating func classes(besides path: String) -> SourceClasses? {
        guard ModelFinder.isModel(path), let sources = membership.sources(of: path) else { return nil }
        if let cached = classes[sources.id] { return cached }
        var result = SourceClasses(declarations: [:])
        result.isNamed = false
        result.hasOnlySwift = sources.isTarget
        for path in sources.paths {
            // A property may be in a file that is excluded, unreadable or Objective-C.
            guard path.hasSuffix(".swift"), let bytes = bytes(of: path) else {
                result.hasOnlySwift = false
                continue
            }
            result.add(bytes, path: path)
        }
        let value = result.properties.isEmpty ? nil : result
        classes.updateValue(value, forKey: sources.id)
        return value
    }

    private func bytes(of path: String) -> [UInt8]? {
        if let bytes = texts[ModelMembership.plain(path)] { return bytes }
        guard isIncluded(path), case .file(let size)? = files.kind(of: path), size <= SourceReader.sizeLimit else {
            return nil
        }
        return try? reader.bytes(of: path, size: size)
    }
}
