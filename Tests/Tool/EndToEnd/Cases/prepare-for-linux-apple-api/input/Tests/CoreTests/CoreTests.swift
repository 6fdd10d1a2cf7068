import XCTest

@testable import Core

final class CoreTests: XCTestCase {
    var context: NSManagedObjectContext { container.viewContext }
}
