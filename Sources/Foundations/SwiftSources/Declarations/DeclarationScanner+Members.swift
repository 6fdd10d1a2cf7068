/// Members marked `@NSManaged`.
extension DeclarationScanner {
    var context: SwiftFile.Context? {
        if case .type(let context, isGeneric: let isGeneric)? = scopes.last {
            var context = context
            if isGeneric { context.isConstrained = true }
            return context
        }
        return nil
    }

    mutating func property() {
        let modifiers = modifiers
        self.modifiers = Modifiers()
        guard let context else { return }
        if let range = modifiers.optional {
            file.optionalRequirements.append(
                SwiftFile.OptionalRequirement(
                    range: range, method: nil, declaration: range, isVoid: false, context: context))
        }
        lookingAhead { $0.namedProperty(modifiers, context) }
        guard let managed = modifiers.managed else { return }
        file.managedAttributes.append(managed)
        var first: Int?
        while let name = token(), name.isName {
            index += 1
            var property = SwiftFile.ManagedProperty(
                name: name.text, nameRange: name.range, type: nil,
                typeRange: name.range.upperBound..<name.range.upperBound,
                context: context, access: modifiers.access, setterAccess: modifiers.setterAccess,
                isStatic: modifiers.isStatic, isUncertain: isUncertain)
            if isSign(":") {
                index += 1
                var parser = SwiftTypeParser(cursor.rest)
                let start = index
                property.type = parser.type()
                index = max(parser.index, start)
                if index > start {
                    property.typeRange = range(from: start)
                }
            }
            first = first ?? file.managedProperties.count
            file.managedProperties.append(property)
            guard isSign(",") else { break }
            index += 1
        }
        // In `a, b: Int`, the type applies to both.
        guard let first, let last = file.managedProperties.last else { return }
        for position in first..<file.managedProperties.count where file.managedProperties[position].typeRange.isEmpty {
            file.managedProperties[position].type = last.type
        }
    }

    mutating func function() {
        let modifiers = modifiers
        self.modifiers = Modifiers()
        guard let context else { return }
        lookingAhead { $0.namedFunction(modifiers, context) }
        guard let managed = modifiers.managed, let name = token(),
            name.isName
        else { return }
        file.managedAttributes.append(managed)
        index += 1
        var function = SwiftFile.ManagedFunction(
            name: name.text, nameRange: name.range, parameters: [], isUnusual: isSign("<"), end: name.range.upperBound,
            context: context, access: modifiers.access, isStatic: modifiers.isStatic, isUncertain: isUncertain)
        if isSign("<") { while let token = token(), !token.is("(") { index += token.is("{") ? 0 : 1 } }
        guard isSign("(") else { return }
        function.parameters = parameters(&function.isUnusual)
        if let next = token(), !next.isFirstOnLine, ["async", "throws", "-", "where"].contains(where: next.is) {
            function.isUnusual = true
        }
        function.end = previousEnd
        file.managedFunctions.append(function)
    }

    /// Reads the parameters in the parentheses that open at the current token.
    ///
    /// - Parameter isUnusual: Becomes true if there are default values or anything unknown.
    mutating func parameters(_ isUnusual: inout Bool) -> [SwiftFile.ManagedFunction.Parameter] {
        var parameters: [SwiftFile.ManagedFunction.Parameter] = []
        index += 1
        while let first = token(), !first.is(")") {
            var names: [String] = []
            while let token = token(), token.isName {
                names.append(token.text)
                index += 1
            }
            guard isSign(":"), let label = names.first, let inner = names.last else { break }
            index += 1
            var parser = SwiftTypeParser(cursor.rest)
            let start = index
            let type = parser.type()
            index = max(parser.index, start + 1)
            parameters.append(
                SwiftFile.ManagedFunction.Parameter(
                    label: label == "_" ? nil : label, name: inner, type: type,
                    typeRange: range(from: start)))
            guard isSign(",") else { break }
            index += 1
        }
        guard !isSign(")") else {
            index += 1
            return parameters
        }
        // A default value, or something unknown.
        isUnusual = true
        var open = 1
        while let token = token(), open > 0 {
            if token.is("(") { open += 1 }
            if token.is(")") { open -= 1 }
            index += 1
        }
        return parameters
    }
}
