internal import Foundation

extension MigrationRequest {
    /// Returns the error for rows or values that the migration cannot convert.
    package func failure(_ check: RowCheck, count: Int64) -> NSError {
        guard let property = check.property else {
            return failure(
                .migration, reason: "\(count) row\(count == 1 ? "" : "s") of “\(check.entity)” \(check.reason)",
                help: check.help, userInfo: ["entity": check.entity])
        }
        return failure(
            .migration,
            reason: "\(count) value\(count == 1 ? "" : "s") of “\(check.entity).\(property)” \(check.reason)",
            help: check.help, userInfo: ["entity": check.entity, "property": property])
    }
}
