public import Diagnostics
internal import Mustache

/// Templates that were read and checked, ready to render.
public struct TemplateSet: Sendable {
    /// The ending of template files.
    public static let fileExtension = ".mustache"

    /// The templates that make files, by what they make.
    static let classDefinition = "CoreDataClass.swift"
    static let properties = "CoreDataProperties.swift"
    static let model = "CoreDataModel.swift"

    /// A template as text.
    public struct Source: Sendable {
        /// The name that partial tags use: the file name without `.mustache`.
        public var name: String
        /// The path that diagnostics name.
        public var path: String
        /// The text in UTF-8.
        public var bytes: [UInt8]

        /// Makes a source of a file.
        public init(name: String, path: String, bytes: [UInt8]) {
            self.name = name
            self.path = path
            self.bytes = bytes
        }
    }

    /// Templates that cannot be used.
    public struct Broken: Error, Sendable {
        /// What is wrong with them, with places.
        public var diagnostics: [Diagnostic]
        /// The lines of the files concerned, by path, for excerpts.
        public var lines: [String: LineIndex]
    }

    private let library: MustacheLibrary
    private let templates: [String: MustacheTemplate]

    /// Reads and checks templates. A template of a later source replaces one of the same name.
    ///
    /// - Throws: `Broken` with everything that is wrong.
    public init(_ sources: [Source]) throws(Broken) {
        var byName: [String: Source] = [:]
        for source in sources { byName[source.name] = source }
        let checker = TemplateChecker(sources: byName)
        var diagnostics = checker.check()
        var templates: [String: MustacheTemplate] = [:]
        if diagnostics.isEmpty {
            for (name, source) in byName {
                do {
                    // Code is no HTML: the first line keeps swift-mustache from escaping quotes and angle brackets.
                    let text = Self.textPragma + String(decoding: source.bytes, as: UTF8.self)
                    templates[name] = try MustacheTemplate(string: text)
                } catch {
                    diagnostics.append(Self.diagnostic(for: error, in: source))
                }
            }
        }
        guard diagnostics.isEmpty else {
            let lines = Dictionary(sources.map { ($0.path, LineIndex($0.bytes)) }) { _, last in last }
            throw Broken(diagnostics: diagnostics.sortedByPlace(), lines: lines)
        }
        self.templates = templates
        library = MustacheLibrary(templates: templates)
    }

    /// The text that a template makes of an object; nil when there is no such template.
    func render(_ name: String, _ object: RenderObject) -> String? {
        templates[name]?.render(object, library: library)
    }

    private static let textPragma = "{{% CONTENT_TYPE:TEXT}}\n"

    private static func diagnostic(for error: any Error, in source: Source) -> Diagnostic {
        guard let error = error as? MustacheTemplate.ParserError else {
            return Diagnostic(
                .error, rule: "broken-template", "the template cannot be read: \(error)", file: source.path,
                range: .fileStart)
        }
        let message: String =
            switch error.error as? MustacheTemplate.Error {
            case .sectionCloseNameIncorrect: "this tag ends another section than the one that is open"
            case .unfinishedName: "the tag has no proper name, or no end"
            case .expectedSectionEnd: "a section is opened and never closed"
            case .invalidSetDelimiter: "the tag that sets delimiters is malformed"
            case .transformAppliedToInheritanceSection: "an inheritance section cannot have a transform"
            case .illegalTokenInsideInheritSection: "only block tags may stand inside a parent tag"
            case .textInsideInheritSection: "no text may stand inside a parent tag"
            case .invalidConfigVariableSyntax: "the configuration tag is malformed"
            case .unrecognisedConfigVariable: "the configuration tag sets something unknown"
            case nil: "the template ends inside a tag"
            }
        // The line that was put in front does not count.
        let place = SourcePosition(line: max(1, error.context.lineNumber - 1), column: max(1, error.context.columnNumber))
        return Diagnostic(
            .error, rule: "broken-template", message, file: source.path, range: SourceRange(start: place, end: place))
    }
}
