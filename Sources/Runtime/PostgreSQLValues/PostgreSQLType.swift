/// The types whose binary form the client writes and reads. Raw values are the object identifiers in the system
/// catalog.
///
/// Built-in types have the same identifiers in every PostgreSQL server.
package enum PostgreSQLType: UInt32, Sendable, Hashable, CaseIterable {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case float4 = 700
    case float8 = 701
    case bpchar = 1042
    case varchar = 1043
    case timestamptz = 1184
    case numeric = 1700
    case uuid = 2950
    case void = 2278
    case boolArray = 1000
    case byteaArray = 1001
    case int8Array = 1016
    case textArray = 1009
    case float8Array = 1022
    case timestamptzArray = 1185
    case numericArray = 1231
    case uuidArray = 2951

    /// The type's name in SQL.
    package var sqlName: String {
        switch self {
        case .bool: "boolean"
        case .bytea: "bytea"
        case .name: "name"
        case .int8: "bigint"
        case .int2: "smallint"
        case .int4: "integer"
        case .text: "text"
        case .oid: "oid"
        case .float4: "real"
        case .float8: "double precision"
        case .bpchar: "character"
        case .varchar: "character varying"
        case .timestamptz: "timestamp with time zone"
        case .numeric: "numeric"
        case .uuid: "uuid"
        case .void: "void"
        case .boolArray: "boolean[]"
        case .byteaArray: "bytea[]"
        case .int8Array: "bigint[]"
        case .textArray: "text[]"
        case .float8Array: "double precision[]"
        case .timestamptzArray: "timestamp with time zone[]"
        case .numericArray: "numeric[]"
        case .uuidArray: "uuid[]"
        }
    }
}
