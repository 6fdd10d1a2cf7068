internal import CSQLite3
internal import Foundation

/// The rows that match a predicate, as a query of their primary keys.
///
/// For tools that read a store through their own connection.
package struct RowSelection {
    /// The query, with a question mark for each value.
    package let sql: String
    private let arguments: [SQLArgument]

    fileprivate init(sql: String, arguments: [SQLArgument]) {
        self.sql = sql
        self.arguments = arguments
    }

    /// The number of values.
    package var argumentCount: Int32 { Int32(arguments.count) }

    /// Registers the functions and collations that queries call on a connection.
    ///
    /// - Returns: SQLite's result code.
    package static func registerFunctions(on connection: OpaquePointer) -> Int32 {
        SQLFunctions.register(on: connection)
    }

    /// Binds the values to consecutive positions of a statement.
    ///
    /// - Returns: SQLite's result code.
    package func bind(to statement: OpaquePointer, from start: Int32) -> Int32 {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        func bind(_ bytes: [UInt8], isText: Bool, at position: Int32) -> Int32 {
            guard !bytes.isEmpty else {
                return isText
                    ? sqlite3_bind_text(statement, position, "", 0, nil) : sqlite3_bind_zeroblob(statement, position, 0)
            }
            return bytes.withUnsafeBytes { buffer in
                isText
                    ? sqlite3_bind_text64(
                        statement, position, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                        UInt64(buffer.count), transient, UInt8(SQLITE_UTF8))
                    : sqlite3_bind_blob64(statement, position, buffer.baseAddress, UInt64(buffer.count), transient)
            }
        }
        for (index, argument) in arguments.enumerated() {
            let position = start + Int32(index)
            let code =
                switch argument {
                case .null, .array: sqlite3_bind_null(statement, position)
                case .boolean(let flag): sqlite3_bind_int64(statement, position, flag ? 1 : 0)
                case .integer(let number): sqlite3_bind_int64(statement, position, number)
                case .decimal(let digits): sqlite3_bind_double(statement, position, Double(digits) ?? 0)
                case .real(let number): sqlite3_bind_double(statement, position, number)
                case .uuid(let uuid):
                    bind(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }, isText: false, at: position)
                case .text(let text): bind([UInt8](text.utf8), isText: true, at: position)
                case .bytes(let bytes): bind([UInt8](bytes), isText: false, at: position)
                }
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }
}

extension StoreLayout {
    /// Returns the query of the objects of an entity and its subentities that match a predicate.
    ///
    /// - Throws: `Failure` if SQL cannot express all of the predicate.
    package func selection(
        of entity: NSEntityDescription, matching predicate: NSPredicate
    ) throws(Failure) -> RowSelection {
        let name = entity.name ?? ""
        let model = FetchModel(schema, entities.compactMap { description(of: $0.name)?.objectLayout() }) { _ in nil }
        guard let fetchEntity = model.entity(named: name) else {
            throw Failure(description: "the store has no objects of “\(name)”")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
        request.predicate = predicate
        do {
            let query = try FetchTranslator(model: model).query(request.settings, fetchEntity)
            guard query.isFiltered else {
                throw Failure(description: "SQL cannot express all of the predicate")
            }
            let alias = query.root.alias
            let fragment = query.select("\(word: alias).Z_PK")
            return RowSelection(sql: query.root.scope.dialect.statement(fragment), arguments: fragment.arguments)
        } catch let failure as Failure {
            throw failure
        } catch let refused as UnsupportedRequest {
            throw Failure(description: refused.description)
        } catch {
            throw Failure(description: "the predicate cannot be translated to SQL")
        }
    }
}
