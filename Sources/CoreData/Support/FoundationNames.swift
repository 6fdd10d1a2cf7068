/// The pointer that validation hooks take on Apple's platforms; elsewhere nothing is autoreleased.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// Runs a block. Nothing is autoreleased here; code that is written for Apple's platforms compiles.
@discardableResult
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
