internal import CoreData

extension PostgreSQLSchema: RowSchema {}

extension PostgreSQLTable: RowTable {}
