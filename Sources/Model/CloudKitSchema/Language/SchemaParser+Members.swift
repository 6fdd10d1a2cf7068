internal import Diagnostics

extension SchemaParser {
    private static let typeKeywords: Set = [
        "ASSET", "BYTES", "DOUBLE", "ENCRYPTED", "INT64", "LIST", "LOCATION", "NUMBER", "REFERENCE", "STRING",
        "TIMESTAMP",
    ]

    /// Reads a field or a grant.
    mutating func readMember(of type: inout RecordType) {
        if token.isKeyword("GRANT") {
            advance()
            if let grant = readGrant(in: type.name) { type.grants.append(grant) }
            return
        }
        guard let name = takeName(of: "a field or GRANT") else { return }
        guard token.kind == .word else { return reportUnexpected("the type of “\(name.text)”") }
        let start = token.offsets.lowerBound
        let fieldType = readType(of: name.text)
        var field = RecordField(name: name.text, type: fieldType)
        field.location = SchemaLocation(name.offsets)
        field.typeLocation = SchemaLocation(start..<max(start, previousEnd))
        readOptions(of: &field)
        type.fields.append(field)
    }

    // MARK: Types

    private mutating func readType(of field: String) -> FieldType {
        guard token.isKeyword("LIST"), following.isSymbol("<") else { return readSingleType(of: field) }
        advance()
        advance()
        if let type = readInvalidList("a list cannot contain lists", help: "Use a list of another type.") {
            return type
        }
        var type = readSingleType(of: field)
        type.isList = true
        if !take(symbol: ">") { reportUnexpected("“>” after the element type of “\(field)”") }
        return type
    }

    /// Reports and skips a list that is not allowed here. Returns `nil` if no list follows.
    private mutating func readInvalidList(_ message: String, help: String) -> FieldType? {
        guard token.isKeyword("LIST"), following.isSymbol("<") else { return nil }
        report(
            CloudKitSchemaFinding(
                severity: .error, rule: .cloudkitSyntax, message: message, offsets: token.offsets, help: help)
        )
        skip(to: [",", ")", ";"], isTaken: false)
        return FieldType(.unknown("LIST"))
    }

    private mutating func readSingleType(of field: String) -> FieldType {
        let encrypted = token
        let isEncrypted = take(keyword: "ENCRYPTED")
        if isEncrypted,
            let type = readInvalidList("ENCRYPTED belongs inside of the list", help: "Write LIST<ENCRYPTED STRING>.")
        {
            return type
        }
        guard token.kind == .word else {
            reportUnexpected("the type of “\(field)”")
            return FieldType(.unknown(""), isEncrypted: isEncrypted)
        }
        let word = token
        advance()
        var value = FieldType.Value(word: word.text) ?? .unknown(word.text)
        if word.isKeyword("NUMBER") { value = .number(preferred: readPreference()) }
        if case .unknown = value {
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitUnknownElement,
                    message: "unknown type “\(word.text)” of the field “\(field)”",
                    offsets: word.offsets,
                    help: """
                        Types are ASSET, BYTES, DOUBLE, INT64, LOCATION, NUMBER, REFERENCE, STRING, TIMESTAMP, and lists of \
                        them.
                        """))
        } else if isEncrypted, !value.canBeEncrypted {
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitInvalidField, message: "\(value.text) fields cannot be ENCRYPTED",
                    offsets: encrypted.offsets.lowerBound..<word.offsets.upperBound, help: "Remove ENCRYPTED."))
        }
        return FieldType(value, isEncrypted: isEncrypted)
    }

    private mutating func readPreference() -> FieldType.NumberType? {
        guard take(keyword: "PREFERRED") else { return nil }
        guard take(keyword: "AS") else {
            reportUnexpected("AS behind PREFERRED")
            return nil
        }
        guard let type = FieldType.NumberType(rawValue: token.text.uppercased()), token.kind == .word else {
            reportUnexpected("INT64 or DOUBLE behind PREFERRED AS")
            return nil
        }
        advance()
        return type
    }

    // MARK: Options

    private mutating func readOptions(of field: inout RecordField) {
        while token.kind == .word {
            if let option = FieldOption(rawValue: token.text.uppercased()) {
                field.options.insert(option)
            } else if token.isKeyword("GRANT") || Self.typeKeywords.contains(following.text.uppercased()) {
                // The next member: a comma is missing.
                return
            } else {
                field.unrecognized.append(token.text)
                report(
                    CloudKitSchemaFinding(
                        severity: .warning, rule: .cloudkitUnknownElement,
                        message: "unknown option “\(token.text)” of the field “\(field.name)”", offsets: token.offsets,
                        why: "It is kept unchanged and otherwise ignored.",
                        help: "Options are QUERYABLE, SEARCHABLE and SORTABLE."))
            }
            advance()
        }
    }

    // MARK: Grants

    private mutating func readGrant(in type: String) -> Grant? {
        var permissions: [Grant.Permission] = []
        repeat {
            guard token.kind == .word, !token.isKeyword("TO") else {
                reportUnexpected("READ, CREATE or WRITE behind GRANT", in: "the record type “\(type)”")
                return nil
            }
            let permission = Grant.Permission(word: token.text)
            if case .unknown = permission {
                report(
                    CloudKitSchemaFinding(
                        severity: .warning, rule: .cloudkitUnknownElement,
                        message: "unknown permission “\(token.text)”", offsets: token.offsets,
                        why: "It is kept unchanged and otherwise ignored.",
                        help: "Permissions are READ, CREATE and WRITE."))
            }
            permissions.append(permission)
            advance()
        } while take(symbol: ",")
        guard take(keyword: "TO") else {
            reportUnexpected("TO after the permissions", in: "the record type “\(type)”")
            return nil
        }
        guard let role = takeName(of: "a role") else { return nil }
        return Grant(permissions, to: role.text, location: SchemaLocation(role.offsets))
    }
}
