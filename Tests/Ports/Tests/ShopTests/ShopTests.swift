import CoreData
import XCTest

@testable import Shop

final class ShopTests: XCTestCase {
    private var store: CustomerStore!

    override func setUp() {
        store = CustomerStore(context: CustomerStore.container().viewContext)
    }

    private func customer(_ name: String, age: Int16, totals: Double...) -> Customer {
        let customer = Customer(context: store.context)
        customer.name = name
        customer.age = age
        for total in totals {
            let order = Order(context: store.context)
            order.total = total
            customer.addToOrders(order)
        }
        return customer
    }

    func testFetches() throws {
        let ada = customer("ada", age: 36, totals: 1, 20, 30)
        _ = customer("Adam", age: 5)
        try store.context.save()
        XCTAssertEqual(try store.customers(named: "AD").map(\.name), ["ada", "Adam"])
        let orders = try store.orders(above: 10, of: ada)
        XCTAssertEqual(orders.map(\.total).sorted(), [20, 30])
        XCTAssertEqual(Set(orders.map(\.number)).count, 2)
        XCTAssertEqual(try store.customers(withOrderAbove: 25), [ada])
        try store.deleteAll()
        XCTAssertEqual(try store.customers(named: "a"), [])
    }

    func testValidationMethodStopsASave() throws {
        let customer = customer("Ada", age: -1)
        XCTAssertThrowsError(try store.context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSManagedObjectValidationError)
            XCTAssertEqual((error as NSError).userInfo[NSValidationKeyErrorKey] as? String, "age")
        }
        customer.age = 1
        try store.context.save()
        try customer.validateFields()
    }
}
