public import Foundation

// Apple's compiler bridges values to objects where code says `id as CVarArg`, as much code does for arguments of predicates. There
// is no such bridging on Linux, so the value types conform directly. A predicate gets the value as it is; a format of
// `String` gets its description, since CoreFoundation's `%@` cannot ask an object of Swift for it.

extension _CVarArgObject where Self: CustomStringConvertible {
    /// The description, for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// The words that an argument list has.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension NSObject: @retroactive _CVarArgObject {
    /// The words that an argument list has: the object itself, which `NSString` inherits.
    public var _cVarArgEncoding: [Int] { _encodeBitsAsWords(self) }
}

extension Array: @retroactive _CVarArgObject {}
extension Data: @retroactive _CVarArgObject {}
extension Date: @retroactive _CVarArgObject {}
extension Decimal: @retroactive _CVarArgObject {}
extension Dictionary: @retroactive _CVarArgObject {}
extension Set: @retroactive _CVarArgObject {}
extension URL: @retroactive _CVarArgObject {}
extension UUID: @retroactive _CVarArgObject {}
