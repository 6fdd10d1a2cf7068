package import Diagnostics

/// Templates that were read and checked, ready to render.
///
/// The language is Mustache (Documentation/Guides/Templates.md). An unknown name and a missing partial, which most
/// implementations silently render as nothing, are errors here.
package struct TemplateSet: Sendable {
    /// The extension of template files.
    package static let fileExtension = ".mustache"

    /// The names of the templates that generate files.
    static let classDefinition = "CoreDataClass.swift"
    static let properties = "CoreDataProperties.swift"
    static let model = "CoreDataModel.swift"
    static let portable = "CoreDataPortable.swift"
    /// The comment that begins every file.
    static let header = "Header"

    /// The maximum size of a template file, in bytes.
    private static let sizeLimit = 1 << 20

    /// A template as text.
    package struct Source: Sendable {
        /// The name that partial tags use: the file name without `.mustache`.
        package var name: String
        /// The path that diagnostics name.
        package var path: String
        /// The text in UTF-8.
        package var bytes: [UInt8]

        /// Creates the source of a template.
        package init(name: String, path: String, bytes: [UInt8]) {
            self.name = name
            self.path = path
            self.bytes = bytes
        }
    }

    /// Templates that cannot be used.
    package struct Broken: Error, Sendable {
        /// The problems with their locations.
        package var diagnostics: [Diagnostic]
        /// The lines of the affected files, by path, for excerpts.
        package var lines: [String: LineIndex]
    }

    private var templates: [String: [MustacheNode]]

    /// Reads and checks templates. A later source replaces an earlier one with the same name.
    ///
    /// - Throws: `Broken` with the first problem of each template.
    package init(_ sources: [Source]) throws(Broken) {
        var diagnostics: [Diagnostic] = []
        var lines: [String: LineIndex] = [:]
        var byName: [String: Source] = [:]
        for source in sources {
            byName[source.name] = source
            guard source.bytes.count > Self.sizeLimit else { continue }
            diagnostics.append(
                Diagnostic(
                    .error, rule: .brokenTemplate, "the template is larger than 1 MiB", file: source.path,
                    range: .fileStart))
        }
        var templates: [String: [MustacheNode]] = [:]
        var isBroken = false
        let parser = MustacheParser(sources: byName.mapValues(\.bytes), checkName: Self.problem)
        for (name, source) in byName where diagnostics.isEmpty || source.bytes.count <= Self.sizeLimit {
            do throws(MustacheProblem) {
                templates[name] = try parser.parse(name)
            } catch {
                // A problem in an included template is reported when that template itself is parsed.
                guard error.includedTemplate == nil || error.includedTemplate == name else {
                    isBroken = true
                    continue
                }
                let index = LineIndex(source.bytes)
                lines[source.path] = index
                diagnostics.append(
                    Diagnostic(
                        .error, rule: .brokenTemplate, error.message, file: source.path,
                        range: index.range(of: error.range), help: error.help))
            }
        }
        guard diagnostics.isEmpty, !isBroken else {
            throw Broken(diagnostics: diagnostics.sortedByLocation(), lines: lines)
        }
        self.templates = templates
    }

    /// Returns the text of a template rendered with an object; `nil` if there is no such template.
    func render(_ name: String, _ object: RenderObject) -> String? {
        templates[name].map { MustacheRenderer.render($0, object) }
    }

    private static func problem(_ path: MustachePath, _ sections: [MustachePath]) -> String? {
        guard let first = path.parts.first, first.name == nil else { return nil }
        // The names inside `info` are keys of the model's userInfo.
        return sections.contains { $0.parts.last?.name == .info } ? nil : "the name “\(first.text)” is unknown"
    }
}
