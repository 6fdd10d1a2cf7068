/// The pointer type of the parameters of validation methods on Apple's platforms. On other platforms nothing is
/// autoreleased.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// Runs a block. Provided so that code written for Apple's platforms compiles; nothing is autoreleased here.
///
/// - Throws: What the block throws.
@discardableResult
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
