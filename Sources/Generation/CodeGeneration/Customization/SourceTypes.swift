internal import ModelSchema
package import SwiftSources

/// The types that the sources of a target declare, to look up those that a model names.
package struct SourceTypes: Sendable {
    /// A problem with the name of a type.
    struct Problem {
        var message: String
        var help: String
    }

    private var declarations: [[String]: SwiftFile.TypeDeclaration] = [:]
    private var aliases: Set<String> = []
    private var modules: Set<String> = []

    /// Collects the types of some files.
    package init(_ files: [SwiftFile]) {
        for file in files {
            for type in file.types where !type.isLocal && !type.isPrivate { declarations[type.path] = type }
            aliases.formUnion(file.aliases.keys)
            modules.formUnion(file.imports.map(\.module))
        }
    }

    /// System modules. Those of their types that models can name are in `systemTypes`.
    private static let systemModules: Set<String> = [
        "CoreData", "Foundation", "Swift", "Dispatch", "os", "Combine", "Observation",
    ]

    /// Types of the standard library and Foundation that are `RawRepresentable` or `Codable`.
    private static let systemTypes: Set<String> = [
        "Any", "AnyHashable", "AnyObject", "Array", "Bool", "Character", "Data", "Date", "DateComponents",
        "DateInterval",
        "Decimal", "Dictionary", "Double", "Float", "IndexPath", "IndexSet", "Int", "Int8", "Int16", "Int32", "Int64",
        "Locale", "Measurement", "Notification", "Optional", "Range", "Set", "String", "TimeInterval", "TimeZone",
        "UInt",
        "UInt8", "UInt16", "UInt32", "UInt64", "URL", "UUID", "Calendar",
    ]

    /// Returns the problem with a type, or `nil`. A type that another imported module may declare is left to the
    /// compiler.
    ///
    /// - Parameters:
    ///   - text: The type, which must be syntactically valid.
    ///   - classes: The class whose code names the type, and its superclasses.
    ///   - imports: Modules that the generated code imports.
    ///   - attribute: The attribute whose values are the type's raw values, or `nil`.
    func problem(of text: String, in classes: [String], imports: [String], rawValueOf attribute: Attribute?) -> Problem?
    {
        for word in text.split(whereSeparator: { " []()<>,:?&".contains($0) }) where word != "any" && word != "some" {
            let path = word.split(separator: ".").map(String.init)
            guard let first = path.first, !Self.systemTypes.contains(first), !first.hasPrefix("NS") else { continue }
            if let problem = problem(of: path, in: classes, imports: imports) { return problem }
        }
        guard let attribute else { return nil }
        let path = text.split(separator: ".").map(String.init)
        guard let type = declaration(path, in: classes) else { return nil }
        return rawValueProblem(type, text: text, attribute: attribute)
    }

    /// Returns whether a source declares a type.
    func declares(_ path: [String]) -> Bool { declarations[path] != nil }

    private func declaration(_ path: [String], in classes: [String]) -> SwiftFile.TypeDeclaration? {
        for name in classes { if let type = declarations[[name] + path] { return type } }
        return declarations[path]
    }

    private func problem(of path: [String], in classes: [String], imports: [String]) -> Problem? {
        guard declaration(path, in: classes) == nil, let first = path.first, !aliases.contains(first) else {
            return nil
        }
        let name = path.joined(separator: ".")
        let inner = declarations.keys.filter { $0.count > path.count && Array($0.suffix(path.count)) == path }
            .map { $0.joined(separator: ".") }.sorted()
        if inner.count > 1 {
            return Problem(
                message: "the type “\(name)” is ambiguous", help: "Specify one of \(inner.joined(separator: ", ")).")
        }
        if let only = inner.first {
            return Problem(message: "no type “\(name)” is visible here", help: "Did you mean “\(only)”?")
        }
        // Another module may declare it.
        let others = modules.subtracting(Self.systemModules).union(imports)
        if !others.isEmpty { return nil }
        if path.count > 1, declarations[Array(path.dropFirst())] != nil { return nil }
        return Problem(
            message: "no source declares the type “\(name)”",
            help: "Declare it, or name its module with “modelc.imports” on the entity.")
    }

    /// Returns the problem that an enumeration's raw type does not match the attribute's values, or `nil`.
    private func rawValueProblem(
        _ type: SwiftFile.TypeDeclaration, text: String, attribute: Attribute
    ) -> Problem? {
        guard type.kind == .enum, let rawName = type.inherited.first?.lastName else { return nil }
        let integers: Set = ["Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]
        let rawTypes = integers.union(["String", "Character", "Double", "Float", "Bool", "Date", "Data", "UUID", "URL"])
        guard rawTypes.contains(rawName) else { return nil }
        let isRight =
            switch attribute.type {
            case .integer16, .integer32, .integer64: integers.contains(rawName)
            default: attribute.comparedType == rawName
            }
        if isRight { return nil }
        return Problem(
            message: "the raw values of “\(text)” have the type \(rawName), the attribute \(attribute.type.xmlValue)",
            help: "Use a type whose raw values fit the attribute.")
    }
}
