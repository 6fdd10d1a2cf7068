internal import Diagnostics
internal import SwiftSources

/// The parsed files of a target: their types and the schema versions they declare.
struct ParsedSources {
    let texts: SourceTexts
    let table: TypeTable
    let schemas: SchemaVersions
    let imports: [[ImportSource]]
    /// The problems that prevent files from being read completely.
    let problems: [SourceProblem]

    init(_ files: [SwiftSourceFile], definitions: [String: Bool] = [:]) {
        let environment = ConditionalCode.Environment(applePlatformsWith: definitions)
        let declarations = files.enumerated().map { index, file in
            guard String(validUTF8: file.bytes) != nil else {
                // The first byte that differs from the repaired text.
                let repaired = String(decoding: file.bytes, as: UTF8.self).utf8
                let offset = zip(repaired, file.bytes).prefix { $0 == $1 }.count
                var unreadable = FileDeclarations()
                unreadable.problems = [
                    SourceProblem(
                        message: "the file is not UTF-8", span: SourceSpan(file: index, range: offset..<offset),
                        help: "save it as UTF-8")
                ]
                return unreadable
            }
            return TypeScanner.declarations(in: file.bytes, file: index, environment: environment)
        }
        texts = SourceTexts(files)
        imports = declarations.map(\.imports)
        table = TypeTable(declarations)
        schemas = SchemaVersions(table: table, lists: declarations.flatMap(\.modelLists), texts: texts)
        problems =
            declarations.flatMap(\.problems)
            + table.unclearExtensions.map { [texts] span, ambiguity in
                SourceProblem(
                    message: "the extended type “\(ambiguity.name)” \(ambiguity.reason(texts))", span: span,
                    help: ambiguity.help)
            }
    }
}

extension ParsedSources {
    /// Returns the error for a problem.
    func diagnostic(_ problem: SourceProblem, _ rule: RuleID) -> Diagnostic {
        let location = texts.location(problem.span)
        return Diagnostic(
            .error, rule: rule, problem.message, file: location.file, range: location.range, help: problem.help)
    }
}

extension ConditionalCode.Environment {
    /// Creates an environment for Apple's platforms, which have SwiftData; the definitions may say which of them it is.
    fileprivate init(applePlatformsWith definitions: [String: Bool]) {
        self.init(
            flag: { definitions[$0] },
            call: { function, arguments in
                let argument = arguments.joined()
                if let cached = definitions["\(function)(\(argument))"] { return cached }
                switch function {
                case "canImport":
                    return ["SwiftData", "Foundation", "Swift", "Observation", "CoreData"].contains(argument)
                        ? true : nil
                case "os": return ["Linux", "Windows", "Android", "FreeBSD", "WASI"].contains(argument) ? false : nil
                case "swift", "compiler": return argument.hasPrefix(">=") ? true : argument.hasPrefix("<") ? false : nil
                default: return nil
                }
            })
    }
}
