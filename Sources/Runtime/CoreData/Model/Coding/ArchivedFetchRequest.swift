internal import CompiledModel
public import Foundation

/// The class that stands for fetch requests in archives. Foundation's archiver traps on the names of generic classes
/// and of their subclasses.
///
/// It has no instances: unarchivers create an `NSFetchRequest<NSFetchRequestResult>` instead.
final class ArchivedFetchRequest: NSObject, NSSecureCoding {
    private static let registration: Void = NSKeyedUnarchiver.setClass(
        NSFetchRequest<any NSFetchRequestResult>.self, forClassName: name)

    static let name = NSStringFromClass(ArchivedFetchRequest.self)

    /// Registers the class with secure unarchivers, which compare the class in an archive with the allowed ones before
    /// they call its `classForKeyedUnarchiver()`.
    static func register() { registration }

    static var supportsSecureCoding: Bool { true }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {}

    override class func classForKeyedUnarchiver() -> AnyClass { NSFetchRequest<any NSFetchRequestResult>.self }
}

extension NSKeyedUnarchiver {
    /// Decodes an archived fetch request with a result type.
    ///
    /// Foundation's method of the same name decodes only `NSFetchRequest<NSFetchRequestResult>`, once the program has
    /// created a model or request; this one decodes a request with any result type at any time.
    ///
    /// ```swift
    /// let data = try NSKeyedArchiver.archivedData(withRootObject: request, requiringSecureCoding: true)
    /// let books = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSFetchRequest<Book>.self, from: data)
    /// ```
    ///
    /// - Throws: `CocoaError.coderReadCorrupt` if the data is not an archive of a fetch request.
    public static func unarchivedObject<ResultType>(
        ofClass cls: NSFetchRequest<ResultType>.Type, from data: Data
    ) throws -> NSFetchRequest<ResultType>? {
        // Foundation traps on another class.
        guard try BinaryPropertyList([UInt8](data)).archivedRootClassNames?.first == ArchivedFetchRequest.name else {
            throw CocoaError(.coderReadCorrupt)
        }
        ArchivedFetchRequest.register()
        let request = try unarchivedObject(ofClasses: [NSFetchRequest<any NSFetchRequestResult>.self], from: data)
        return (request as? NSFetchRequest<any NSFetchRequestResult>).map { NSFetchRequest<ResultType>($0) }
    }
}
