internal import CoreData
internal import Diagnostics

/// What follows from the deletion of objects by repairs.
extension StoreExamination {
    /// Returns the repairs of what refers to deleted objects, whatever rules are requested: references become nil,
    /// pairs go, and objects that require such a reference are deleted.
    ///
    /// - Parameter last: The number of the last change that is excluded.
    func consequences(after last: Int64) -> [StoreRepair] {
        guard let layout else { return [] }
        func deleted(_ table: String) -> String {
            "(SELECT row FROM temp.modelc_changes WHERE tbl = \(SQLName.literal(self.table(table)?.name ?? table)) "
                + "AND \(ChangeLog.isDeletedObject) AND id > \(last))"
        }
        func nulls(_ table: String, _ columns: [String?]) -> String {
            let columns = columns.compactMap { $0 }.filter { has(table, $0) }
            return "UPDATE \(SQLName.inQuotes(table)) SET "
                + columns.map { "\(SQLName.inQuotes($0)) = NULL" }.joined(separator: ", ")
        }
        var repairs: [StoreRepair] = []
        func add(_ rule: RuleID, _ statement: String) {
            repairs.append(StoreRepair(rule: rule, safety: .unsafe, phase: .references, statements: [statement]))
        }
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                switch property.position {
                case .attribute: continue
                case .toOne(let toOne):
                    guard let destination = layout.entity(number: toOne.destination), has(entity.table, toOne.key)
                    else { continue }
                    let scope = entity.sharesTable ? "\(SQLName.isIn("Z_ENT", entity.numbers)) AND " : ""
                    let action =
                        property.isOptional
                        ? nulls(entity.table, [toOne.key, toOne.entity, toOne.order])
                        : "DELETE FROM \(SQLName.inQuotes(entity.table))"
                    add(
                        .danglingReference,
                        "\(action) WHERE \(scope)\(SQLName.inQuotes(toOne.key)) IN \(deleted(destination.table))")
                case .members(let members):
                    guard members.lacksInverse, has(members.table, members.key) else { continue }
                    add(
                        .ownerDangling,
                        "\(nulls(members.table, [members.key, members.order])) "
                            + "WHERE \(SQLName.inQuotes(members.key)) IN \(deleted(entity.table))")
                case .join(let join):
                    guard let destination = layout.entity(number: join.destination),
                        has(join.table, join.own, join.other)
                    else { continue }
                    add(
                        .joinDangling,
                        "DELETE FROM \(SQLName.inQuotes(join.table)) WHERE \(SQLName.inQuotes(join.own)) IN \(deleted(entity.table)) "
                            + "OR \(SQLName.inQuotes(join.other)) IN \(deleted(destination.table))")
                }
            }
        }
        return repairs
    }
}
