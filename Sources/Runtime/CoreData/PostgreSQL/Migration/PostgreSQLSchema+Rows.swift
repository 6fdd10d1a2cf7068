extension PostgreSQLSchema: RowSchema {}

extension PostgreSQLTable: RowTable {}
