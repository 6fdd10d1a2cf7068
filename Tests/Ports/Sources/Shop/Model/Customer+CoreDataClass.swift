//
//  Customer+CoreDataClass.swift
//

import Foundation
import CoreData

@objc(Customer)
public class Customer: NSManagedObject {
    @objc func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let age = value.pointee as? Int, age < 0 else { return }
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
            userInfo: [NSValidationKeyErrorKey: #keyPath(Customer.age), NSLocalizedDescriptionKey: "born yet?"])
    }

    @objc public func validateFields() throws {
        try validateForUpdate()
    }
}
