internal import ModelSchema
internal import SwiftSources

/// Writes the methods that implement the symbols of `@NSManaged` declarations.
struct StubWriter {
    private let moduleName: String
    private var count = 0
    /// The methods by the extension that contains them, in the order of the sources.
    private var groups: [(header: String, methods: [String])] = []

    init(moduleName: String) {
        self.moduleName = moduleName
    }

    /// The extensions with the methods.
    var text: String {
        groups.map { "\($0.header) {\n\n\($0.methods.joined(separator: "\n"))\n}\n\n" }.joined()
    }

    mutating func add(
        _ property: SwiftFile.ManagedProperty, symbols: (getter: String, setter: String),
        body: AccessorBodies.Property, in source: ManagedSource
    ) {
        let type = source.typeText(of: property)
        let access = Self.access(property.access, property.context)
        // A setter that is private to the file is still called from there.
        let setterAccess = property.setterAccess == nil ? access : Self.access(property.setterAccess, property.context)
        method(symbols.getter, access: access, rest: "() -> \(type) { \(body.get) }", property.context)
        method(
            symbols.setter, access: setterAccess, rest: "(_ newValue: __owned \(type)) { \(body.set) }",
            property.context)
    }

    /// Adds the body of a function.
    mutating func add(
        _ function: SwiftFile.ManagedFunction, symbol: String, body: String, in source: ManagedSource
    ) {
        let parameters = function.parameters.map { parameter in
            "_ \(SwiftIdentifier.declared(parameter.name)): \(source.text(parameter.typeRange))"
        }
        method(
            symbol, access: Self.access(function.access, function.context),
            rest: "(\(parameters.joined(separator: ", "))) { \(body) }",
            function.context)
    }

    /// Adds a method. Methods are never called by name, but classes of another module may inherit them, so the names
    /// contain the module's.
    private mutating func method(_ symbol: String, access: String, rest: String, _ context: SwiftFile.Context) {
        count += 1
        let text = """
                @_silgen_name("\(symbol)")
                nonisolated \(access)final func _\(moduleName)_managed_\(count)\(rest)

            """
        let header = "extension \(context.path.map(SwiftIdentifier.declared).joined(separator: "."))"
        if let last = groups.indices.last, groups[last].header == header {
            groups[last].methods.append(text)
        } else {
            groups.append((header, [text]))
        }
    }

    /// Returns the access level of a method: that of the declaration, since the compiler rejects symbols with a
    /// different one when it optimizes whole modules. Methods of private declarations are internal, because they are in
    /// another file.
    private static func access(_ access: String?, _ context: SwiftFile.Context) -> String {
        switch access ?? context.extensionAccess {
        case "open", "public": "public "
        case "package": "package "
        default: ""
        }
    }
}

extension ManagedSource {
    /// Returns the type of a property as a method can have it: without `!`, which is valid only in declarations.
    func typeText(of property: SwiftFile.ManagedProperty) -> String {
        let text = self.text(property.typeRange)
        return text.hasSuffix("!") ? text.dropLast() + "?" : text
    }
}
