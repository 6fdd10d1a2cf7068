// What swift-argument-parser needs of Foundation; modelc does not import it.
@_exported import Darwin

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
}

public class NSError: Error {}

extension Error {
    public var localizedDescription: String { fatalError() }
}

public struct Data: Sendable {}

public class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public var rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }

    public var outputFormatting: OutputFormatting = []
    public init() {}
    public func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}

extension String {
    public struct Encoding: Sendable {
        public static let utf8 = Encoding()
    }

    public init?(data: Data, encoding: Encoding) { fatalError() }
}
