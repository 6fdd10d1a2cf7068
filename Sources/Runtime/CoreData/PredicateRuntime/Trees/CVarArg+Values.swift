public import Foundation

// On Apple's platforms, `id as CVarArg`, which is common for arguments of predicates, bridges values to objects. There
// is no such bridging on Linux, so the value types conform directly. A predicate gets the value unchanged; a format of
// `String` gets its description, because CoreFoundation's `%@` cannot ask a Swift object for it.

extension _CVarArgObject where Self: CustomStringConvertible {
    /// The description, for `%@`.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }
    /// The words in an argument list.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension NSObject: @retroactive _CVarArgObject {
    /// The words in an argument list: the object itself. `NSString` inherits this.
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
