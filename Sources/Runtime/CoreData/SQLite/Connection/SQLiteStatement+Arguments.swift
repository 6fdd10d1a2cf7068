internal import Foundation

extension SQLiteStatement {
    /// Binds values to consecutive positions.
    func bind(_ arguments: [SQLArgument], from start: Int32 = 1) {
        for (index, argument) in arguments.enumerated() {
            let position = start + Int32(index)
            switch argument {
            case .null: bindNull(at: position)
            case .boolean(let flag): bind(Int64(flag ? 1 : 0), at: position)
            case .integer(let number): bind(number, at: position)
            case .decimal(let digits): bind(Double(digits) ?? 0, at: position)
            case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind($0, at: position) }
            // The dialect has no arrays.
            case .array: bindNull(at: position)
            case .real(let number): bind(number, at: position)
            case .text(let text): bind(text, at: position)
            case .bytes(let bytes): bytes.withUnsafeBytes { bind($0, at: position) }
            }
        }
    }
}
