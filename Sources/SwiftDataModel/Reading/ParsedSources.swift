internal import SwiftSources

/// The files of a target after parsing: their types, and the versions they declare.
struct ParsedSources {
    let texts: SourceTexts
    let table: TypeTable
    let schemas: SchemaVersions
    /// What keeps files from being read completely.
    let problems: [SourceProblem]

    init(_ files: [SwiftSourceFile], definitions: [String: Bool] = [:]) {
        let environment = ConditionalCode.Environment(applePlatformsWith: definitions)
        let declarations = files.enumerated().map { index, file in
            guard String(validating: file.bytes, as: UTF8.self) != nil else {
                // The first byte that repairing the text changes.
                let repaired = String(decoding: file.bytes, as: UTF8.self).utf8
                let offset = zip(repaired, file.bytes).prefix { $0 == $1 }.count
                var unreadable = FileDeclarations()
                unreadable.problems = [
                    SourceProblem(
                        message: "the file is not UTF-8", place: SourcePlace(file: index, range: offset..<offset),
                        help: "save it as UTF-8")
                ]
                return unreadable
            }
            return TypeScanner.declarations(in: file.bytes, file: index, environment: environment)
        }
        texts = SourceTexts(files)
        table = TypeTable(declarations)
        schemas = SchemaVersions(table: table, texts: texts)
        problems = declarations.flatMap(\.problems)
    }
}

extension ConditionalCode.Environment {
    /// Apple's platforms, where SwiftData is; which of them is unknown unless a definition says it.
    fileprivate init(applePlatformsWith definitions: [String: Bool]) {
        self.init(
            flag: { definitions[$0] },
            call: { function, arguments in
                let argument = arguments.joined()
                if let known = definitions["\(function)(\(argument))"] { return known }
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
