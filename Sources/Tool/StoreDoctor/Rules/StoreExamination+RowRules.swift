internal import CoreData
internal import Diagnostics

/// The rows of a table: their entities and versions, and everything that can be checked from a row and the rows that it
/// references.
extension StoreExamination {
    /// Checks the table of a hierarchy, in one scan.
    func checkRows(_ root: StoreLayout.Entity, _ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard has(root.table, "Z_PK", "Z_ENT") else { return }
        var scan = TableScan(table: root.table)
        let family = layout.entities.filter { $0.rootNumber == root.number }
        let concrete = family.filter { !$0.isAbstract }
        for entity in concrete { scan.count("t.Z_ENT = \(entity.number)") }
        addRowConditions(root, family: family, scan: &scan)
        for entity in family {
            let scope = entity.sharesTable ? "\(SQLName.isIn("t.Z_ENT", entity.numbers)) AND " : ""
            for property in entity.properties where property.isDeclared {
                switch property.position {
                case .attribute(let attribute) where has(entity.table, attribute.column):
                    try addValueConditions(entity, property: property, attribute: attribute, scope: scope, scan: &scan)
                case .toOne(let toOne) where has(entity.table, toOne.key):
                    addReferenceConditions(
                        entity, property: property, toOne: toOne, scope: scope, layout: layout, scan: &scan)
                default: continue
                }
            }
        }
        addOwnerConditions(root, layout: layout, scan: &scan)
        let result = try scan.run(self)
        for (entity, count) in zip(concrete, result.counts) { rowCounts[entity.name] = count }
    }

    private func addRowConditions(
        _ root: StoreLayout.Entity, family: [StoreLayout.Entity], scan: inout TableScan
    ) {
        let table = root.table
        func add(
            _ rule: RuleID, column: String, sql: String, message: @escaping (Int64) -> String
        ) {
            scan.add(
                RowCondition(
                    rule: rule, entity: root.name, property: nil, column: column, sql: sql, message: message))
        }
        add(.unknownEntity, column: "Z_ENT", sql: "t.Z_ENT IS NULL OR NOT (\(SQLName.isIn("t.Z_ENT", root.numbers)))") {
            "\(counted($0, "row")) of \(table) \($0 == 1 ? "belongs" : "belong") to no entity of the model"
        }
        let abstract = family.filter(\.isAbstract)
        if !abstract.isEmpty {
            add(.abstractEntity, column: "Z_ENT", sql: "\(SQLName.isIn("t.Z_ENT", abstract.map(\.number)))") {
                "\(counted($0, "row")) of \(table) \($0 == 1 ? "belongs" : "belong") to an abstract entity"
            }
        }
        if has(table, "Z_OPT") {
            add(.versionInvalid, column: "Z_OPT", sql: "t.Z_OPT IS NULL OR typeof(t.Z_OPT) <> 'integer' OR t.Z_OPT < 1")
            {
                "\(counted($0, "row")) of \(table) \($0 == 1 ? "has" : "have") no valid version"
            }
        }
        add(.keyNotPositive, column: "Z_PK", sql: "t.Z_PK < 1") {
            "\(counted($0, "row")) of \(table) \($0 == 1 ? "has" : "have") a key below 1"
        }
    }
}
