internal import CoreData
internal import Diagnostics
internal import Foundation

/// The values of derived attributes.
extension StoreExamination {
    func checkDerived(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.derivedDrift), !options.isQuick else { return }
        // The expressions read other tables.
        let derivations = isComplete(layout) ? layout.derived : []
        for derived in derivations where has(derived.table, derived.column) {
            let value = "owner.\(SQLName.inQuotes(derived.column))"
            // Sums of real numbers depend on the order in which they are added.
            let differs =
                derived.isKeyPath
                ? "\(value) IS NOT v"
                : "CASE WHEN typeof(v) = 'real' OR typeof(\(value)) = 'real' "
                    + "THEN abs(ifnull(\(value), 0) - ifnull(v, 0)) > 1e-9 * (abs(ifnull(v, 0)) + 1) "
                    + "ELSE ifnull(\(value), 0) IS NOT ifnull(v, 0) END"
            try run(
                derived.entity, derived.attribute, table: derived.table, column: derived.column,
                sql: "SELECT Z_PK, Z_ENT FROM (SELECT owner.Z_PK, owner.Z_ENT, \(value), \(derived.value) AS v "
                    + "FROM \(SQLName.inQuotes(derived.table)) AS owner\(derived.condition.map { " WHERE \($0)" } ?? "")) AS owner "
                    + "WHERE \(differs)")
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                guard case .attribute(let attribute) = property.position, let derivation = attribute.ownDerivation,
                    let other = entity.properties.first(where: { $0.name == derivation.source }),
                    case .attribute(let source) = other.position, source.type == .stringAttributeType,
                    has(entity.table, "Z_PK", "Z_ENT", attribute.column, source.column)
                else { continue }
                // The functions of SQLite and Apple agree about ASCII; what they do with other letters is not compared.
                let function = derivation.function == "uppercase:" ? "upper" : "lower"
                let (from, to) = ("t.\(SQLName.inQuotes(source.column))", "t.\(SQLName.inQuotes(attribute.column))")
                let scope = entity.sharesTable ? "\(SQLName.isIn("t.Z_ENT", entity.numbers)) AND " : ""
                try run(
                    entity.name, property.name, table: entity.table, column: attribute.column,
                    sql: "SELECT t.Z_PK, t.Z_ENT FROM \(SQLName.inQuotes(entity.table)) AS t WHERE \(scope)"
                        + "\(from) IS NOT NULL AND length(\(from)) = length(CAST(\(from) AS BLOB)) "
                        + "AND \(to) IS NOT \(function)(\(from))")
            }
        }
    }

    private func run(
        _ entity: String, _ attribute: String, table: String, column: String, sql: String
    ) throws(DoctorDatabase.Failure) {
        try FaultQuery(
            rule: .derivedDrift, entity: entity, property: attribute, table: table, column: column, sql: sql,
            message: {
                "\(counted($0, "value")) of the derived attribute “\(entity).\(attribute)” \($0 == 1 ? "is" : "are") out of date"
            }
        ).run(self)
    }
}
