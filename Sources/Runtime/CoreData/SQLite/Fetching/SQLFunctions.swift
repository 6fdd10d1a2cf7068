internal import CSQLite3
internal import Foundation
internal import PredicateSyntax

/// The SQL functions and collations that fetches need on a connection. They run the evaluator's own code, so that a
/// predicate has the same result in SQL and in memory.
enum SQLFunctions {
    /// Registers all functions and collations, and returns SQLite's result code.
    static func register(on database: OpaquePointer) -> Int32 {
        var codes = StringCollation.all.map { $0.register(on: database) }
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        codes.append(
            sqlite3_create_function_v2(
                database, "NSCoreDataStringSearch", 4, flags, nil, { SQLFunctions.searchString($0, $2) }, nil, nil, nil)
        )
        codes.append(
            sqlite3_create_function_v2(
                database, "NSCoreDataFunction", -1, flags, nil, { SQLFunctions.call($0, count: $1, values: $2) }, nil,
                nil, nil))
        codes.append(
            sqlite3_create_function_v2(
                database, "NSCoreDataSum", 2, flags, nil, nil, { SQLFunctions.collect($0, $2) },
                { SQLFunctions.finish($0) { $0?.sum ?? .integer(0) } }, nil))
        codes.append(
            sqlite3_create_function_v2(
                database, "NSCoreDataAverage", 2, flags, nil, nil, { SQLFunctions.collect($0, $2) },
                { SQLFunctions.finish($0) { $0?.average ?? .null } }, nil))
        codes.append(
            sqlite3_create_function_v2(
                database, JSONList.decoder, 1, flags, nil,
                { context, _, values in SQLFunctions.decode(context, values) },
                nil, nil, nil))
        return codes.first { $0 != SQLITE_OK } ?? SQLITE_OK
    }

    typealias Values = UnsafeMutablePointer<OpaquePointer?>

    // MARK: Text

    /// A prepared pattern, which SQLite keeps while the pattern of a call stays the same.
    private final class Matcher {
        let matches: (String) -> Bool

        init(_ matches: @escaping (String) -> Bool) {
            self.matches = matches
        }
    }

    /// `NSCoreDataStringSearch(text, pattern, kind, options)`
    private static func searchString(_ context: OpaquePointer?, _ values: Values?) {
        guard let values, let text = string(values[0]) else { return sqlite3_result_int(context, 0) }
        let matcher: Matcher
        if let cached = sqlite3_get_auxdata(context, 1) {
            matcher = Unmanaged<Matcher>.fromOpaque(cached).takeUnretainedValue()
        } else {
            guard let pattern = string(values[1]),
                let kind = StringSearchKind(rawValue: Int(sqlite3_value_int64(values[2])))
            else { return sqlite3_result_int(context, 0) }
            let options = ComparisonOptions(rawValue: UInt(truncatingIfNeeded: sqlite3_value_int64(values[3])))
            matcher = Matcher(kind.matcher(pattern, StringComparison(options)))
            sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(matcher).toOpaque()) {
                if let box = $0 { Unmanaged<Matcher>.fromOpaque(box).release() }
            }
        }
        sqlite3_result_int(context, matcher.matches(text) ? 1 : 0)
    }

    /// Returns a string, or `nil` for null.
    private static func string(_ value: OpaquePointer?) -> String? {
        guard let start = sqlite3_value_text(value) else { return nil }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    // MARK: Functions of the predicate language

    private final class Function {
        let types: [SQLType]
        let body: ([PredicateValue]) -> PredicateValue

        init(_ types: [SQLType], _ body: @escaping ([PredicateValue]) -> PredicateValue) {
            self.types = types
            self.body = body
        }

        init?(selector: String, codes: String) {
            types = codes.utf8.compactMap { SQLType(code: $0) }
            if let operation = Arithmetic.Operation(selector: selector), types.count == 2 {
                body = { Arithmetic.apply(operation, left: $0[0], right: $0[1]) }
            } else if let function = PredefinedFunction.all[selector], function.arity.contains(types.count) {
                body = function.body
            } else {
                return nil
            }
        }
    }

    /// `NSCoreDataFunction(selector, types, argument…)`
    private static func call(_ context: OpaquePointer?, count: Int32, values: Values?) {
        guard let values, count >= 2 else { return sqlite3_result_null(context) }
        let function: Function
        if let cached = sqlite3_get_auxdata(context, 0) {
            function = Unmanaged<Function>.fromOpaque(cached).takeUnretainedValue()
        } else {
            guard let selector = string(values[0]), let codes = string(values[1]),
                let found = Function(selector: selector, codes: codes)
            else { return sqlite3_result_error(context, "there is no such function", -1) }
            function = found
            sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(function).toOpaque()) {
                if let box = $0 { Unmanaged<Function>.fromOpaque(box).release() }
            }
        }
        guard function.types.count == Int(count) - 2 else { return sqlite3_result_null(context) }
        let arguments = function.types.enumerated().map { value(values[$0 + 2], $1) }
        setResult(context, function.body(arguments))
    }

    /// Returns a value in the evaluator's form.
    private static func value(_ value: OpaquePointer?, _ type: SQLType) -> PredicateValue {
        let stored = sqlite3_value_type(value)
        guard stored != SQLITE_NULL else { return .null }
        switch type {
        case .boolean: return .boolean(sqlite3_value_int64(value) != 0)
        case .integer: return .integer(sqlite3_value_int64(value))
        case .number where stored == SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case .real, .number: return .real(sqlite3_value_double(value))
        case .decimal:
            if stored == SQLITE_INTEGER { return .decimal(NSDecimalNumber(value: sqlite3_value_int64(value))) }
            return NSDecimalNumber(shortest: sqlite3_value_double(value)).map { .decimal($0) } ?? .null
        case .date: return .date(sqlite3_value_double(value))
        case .string: return string(value).map { .string($0) } ?? .null
        case .uri: return PredicateValue(any: string(value).flatMap { URL(string: $0) })
        case .uuid:
            guard sqlite3_value_bytes(value) == 16, let start = sqlite3_value_blob(value) else { return .null }
            return .uuid(UUID(uuid: start.loadUnaligned(as: uuid_t.self)))
        case .data:
            guard let start = sqlite3_value_blob(value) else { return .data(Data()) }
            return .data(Data(bytes: start, count: Int(sqlite3_value_bytes(value))))
        }
    }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func setResult(_ context: OpaquePointer?, _ value: PredicateValue) {
        switch value {
        case .boolean(let flag): sqlite3_result_int(context, flag ? 1 : 0)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .date(let seconds): sqlite3_result_double(context, seconds)
        case .decimal(let number):
            guard number != .notANumber else { return sqlite3_result_null(context) }
            sqlite3_result_double(context, Double(number.stringValue) ?? number.doubleValue)
        case .string(let text):
            text.withUTF8Bytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_result_text64(
                        context, bytes.baseAddress, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        default: sqlite3_result_null(context)
        }
    }

    /// `NSCoreDataListValue(element)`
    private static func decode(_ context: OpaquePointer?, _ values: Values?) {
        switch values.flatMap({ string($0[0]) }).map(JSONList.value) {
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text): setResult(context, .string(text))
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                guard let start = $0.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
                sqlite3_result_blob64(context, start, UInt64($0.count), transient)
            }
        default: sqlite3_result_null(context)
        }
    }

    // MARK: Sums

    /// The running sum of a group's values.
    private final class Sum {
        private(set) var sum = PredicateValue.integer(0)
        private var count = 0
        let type: SQLType
        /// Whether the result is a decimal number with all its digits, as text.
        let isExact: Bool

        /// - Parameter code: The letter of a type, or D for decimal numbers with text as the result.
        init?(code: UInt8) {
            isExact = code == UInt8(ascii: "D")
            guard let type = isExact ? .decimal : SQLType(code: code) else { return nil }
            self.type = type
        }

        func add(_ value: PredicateValue) {
            count += 1
            sum = Statistics.sum([sum, value])
        }

        var average: PredicateValue {
            switch sum {
            case .decimal(let sum): PredicateValue(sum.decimalValue / Decimal(count))
            default: .real(sum.doubleNumber / Double(count))
            }
        }
    }

    /// `NSCoreDataSum(type, value)`, `NSCoreDataAverage(type, value)`
    private static func collect(_ context: OpaquePointer?, _ values: Values?) {
        guard let values, let code = sqlite3_value_text(values[0])?.pointee,
            let position = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeMutableRawPointer?>.size))
        else { return }
        let box = position.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let sum: Sum
        if let existing = box.pointee {
            sum = Unmanaged<Sum>.fromOpaque(existing).takeUnretainedValue()
        } else {
            guard let new = Sum(code: code) else { return }
            sum = new
            box.pointee = Unmanaged.passRetained(sum).toOpaque()
        }
        sum.add(value(values[1], sum.type))
    }

    private static func finish(_ context: OpaquePointer?, _ result: (Sum?) -> PredicateValue) {
        let box = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        guard let existing = box?.pointee else { return setResult(context, result(nil)) }
        box?.pointee = nil
        let sum = Unmanaged<Sum>.fromOpaque(existing).takeRetainedValue()
        switch result(sum) {
        case .decimal(let number) where sum.isExact: setResult(context, .string(number.stringValue))
        case let value: setResult(context, value)
        }
    }
}
