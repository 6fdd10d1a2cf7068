internal import Diagnostics

/// Finds errors in a well-formed schema.
enum SchemaValidation {
    /// Returns the errors, in the order of the schema.
    static func findings(in schema: Schema) -> [CloudKitSchemaFinding] {
        var findings = duplicates("role", schema.roles.map { ($0.name, $0.location) })
        findings += duplicates("record type", schema.recordTypes.map { ($0.name, $0.location) })
        let roles = Set(Role.systemNames + schema.roles.map(\.name))
        for type in schema.recordTypes {
            findings += duplicates("field", in: type.name, type.fields.map { ($0.name, $0.location) })
            for field in type.fields { findings += problems(of: field, in: type) }
            for grant in type.grants where !roles.contains(grant.role) {
                findings.append(
                    CloudKitSchemaFinding(
                        severity: .error, rule: .cloudkitUnknownElement, message: "unknown role “\(grant.role)”",
                        offsets: grant.location.offsets ?? 0..<0,
                        why: "The schema does not create it, and it is not one of _creator, _icloud and _world.",
                        help: "Add CREATE ROLE \(SchemaName.text(grant.role)), or correct the name."))
            }
        }
        return findings
    }

    private static func duplicates(
        _ kind: String, in type: String? = nil, _ names: [(name: String, location: SchemaLocation)]
    ) -> [CloudKitSchemaFinding] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0.name).inserted }.map { name, location in
            let shown = type.map { "\($0).\(name)" } ?? name
            return CloudKitSchemaFinding(
                severity: .error, rule: .cloudkitDuplicate, message: "the \(kind) “\(shown)” is defined twice",
                offsets: location.offsets ?? 0..<0,
                help: "Remove one of the definitions.")
        }
    }

    private static func problems(of field: RecordField, in type: RecordType) -> [CloudKitSchemaFinding] {
        var findings: [CloudKitSchemaFinding] = []
        let offsets = field.typeLocation.offsets ?? 0..<0
        if let system = RecordField.systemType(of: field.name), system != field.type {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitInvalidField,
                    message: "the system field “\(field.name)” of “\(type.name)” has the type \(field.type.text)",
                    offsets: offsets,
                    why: "The types of system fields cannot change.", help: "Its type is \(system.text)."))
        }
        if field.type.isEncrypted, !field.options.isEmpty {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .warning, rule: .cloudkitInvalidField,
                    message: "the encrypted field “\(type.name).\(field.name)” has an index",
                    offsets: offsets, why: "CloudKit does not index encrypted fields.", help: "Remove the options."))
        }
        return findings
    }
}
