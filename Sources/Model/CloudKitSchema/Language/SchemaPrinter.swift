/// Writes a schema as `cktool export-schema` does, byte for byte (Documentation/Formats/CloudKitSchema.md, 2).
package enum SchemaPrinter {
    private static let indentation = "    "

    /// Returns the text of a schema, ending in a line feed, with the elements in the order of an export.
    package static func text(_ schema: Schema) -> String {
        let schema = schema.inExportOrder
        var text = "DEFINE SCHEMA\n"
        for role in schema.roles { text += "\n\(indentation)CREATE ROLE \(SchemaName.text(role.name));\n" }
        for type in schema.recordTypes { text += "\n" + self.text(type) }
        for statement in schema.unrecognized { text += "\n\(indentation)\(statement);\n" }
        return text
    }

    private static func text(_ type: RecordType) -> String {
        let names = type.fields.map { SchemaName.text($0.name) }
        // The longest name as written, with its quotes.
        let width = names.map(\.unicodeScalars.count).max() ?? 0
        var members: [String] = []
        for (field, name) in zip(type.fields, names) {
            let padding = String(repeating: " ", count: width - name.unicodeScalars.count + 1)
            members.append(name + padding + definition(of: field))
        }
        members += type.grants.map(self.text)
        let lines = members.map { indentation + indentation + $0 }.joined(separator: ",\n")
        return "\(indentation)RECORD TYPE \(SchemaName.text(type.name)) (\n"
            + (lines.isEmpty ? "" : lines + "\n") + "\(indentation));\n"
    }

    /// Returns the type of a field with its options, as an export writes them.
    package static func definition(of field: RecordField) -> String {
        let options = FieldOption.allCases.filter { field.options.contains($0) }.map(\.rawValue)
        return ([field.type.text] + options + field.unrecognized).joined(separator: " ")
    }

    package static func text(_ grant: Grant) -> String {
        let permissions = grant.permissions.map(\.word).joined(separator: ", ")
        return "GRANT \(permissions) TO \(SchemaName.text(grant.role))"
    }
}

extension Schema {
    /// The schema in the order of an export, with one grant for each role.
    package var inExportOrder: Schema {
        var result = self
        result.roles.sort { SchemaName.isOrdered($0.name, before: $1.name) }
        result.recordTypes.sort { SchemaName.isOrdered($0.name, before: $1.name) }
        for index in result.recordTypes.indices {
            result.recordTypes[index].fields.sort { SchemaName.isOrdered($0.name, before: $1.name) }
            result.recordTypes[index].grants = Self.merged(result.recordTypes[index].grants)
        }
        return result
    }

    /// Returns one grant for each role: those of the system first, then others by name.
    private static func merged(_ grants: [Grant]) -> [Grant] {
        var result: [Grant] = []
        for grant in grants {
            if let index = result.firstIndex(where: { $0.role == grant.role }) {
                result[index].permissions += grant.permissions
            } else {
                result.append(grant)
            }
        }
        for index in result.indices {
            var seen: Set<Grant.Permission> = []
            result[index].permissions = result[index].permissions.filter { seen.insert($0).inserted }
                .sorted { $0.word < $1.word }
        }
        func rank(_ role: String) -> Int { Role.systemNames.firstIndex(of: role) ?? Role.systemNames.count }
        return result.sorted { first, second in
            let (firstRank, secondRank) = (rank(first.role), rank(second.role))
            if firstRank != secondRank { return firstRank < secondRank }
            return SchemaName.isOrdered(first.role, before: second.role)
        }
    }
}
