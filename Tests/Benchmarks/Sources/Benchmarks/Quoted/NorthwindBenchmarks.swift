import CSQLiteReference
import CoreData
import Foundation
import GRDB

/// The benchmark of Lighter: all orders of the Northwind database are fetched, and all of their properties read.
enum NorthwindBenchmarks {
    static func all(_ stack: QuotedStack, rounds: Int) -> [Benchmark] {
        let count = Amount.rows(15_889)
        let size = "\(count) orders, 14 properties read"
        let orders = OrderFiles(stack, count)
        return [
            Benchmark(
                name: "quoted/northwind", size: size, rounds: rounds * 2, ours: { try orders.fetch() },
                reference: { try orders.fetchReference() }, referenceName: "sqlite3"),
            Benchmark(
                name: "quoted/northwind-grdb-columns", size: size, rounds: rounds * 2, ours: { try orders.fetch() },
                reference: { try orders.fetchRecords(OrderColumns.self) }, referenceName: "GRDB, hand-written records"),
            Benchmark(
                name: "quoted/northwind-grdb", size: size, rounds: rounds * 2, ours: { try orders.fetch() },
                reference: { try orders.fetchRecords(OrderRecord.self) }, referenceName: "GRDB, Codable records"),
        ]
    }
}

/// The values of an order.
private protocol OrderValues {
    var orderID: Int64 { get }
    var customerID: String? { get }
    var employeeID: Int64 { get }
    var orderDate: String? { get }
    var requiredDate: String? { get }
    var shippedDate: String? { get }
    var shipVia: Int64 { get }
    var freight: Double { get }
    var shipName: String? { get }
    var shipAddress: String? { get }
    var shipCity: String? { get }
    var shipRegion: String? { get }
    var shipPostalCode: String? { get }
    var shipCountry: String? { get }
}

extension OrderValues {
    /// Reads all properties.
    fileprivate var sum: Double {
        let texts = [customerID, orderDate, requiredDate, shippedDate, shipName, shipAddress, shipCity]
        let others = [shipRegion, shipPostalCode, shipCountry]
        let length = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + others.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        return Double(orderID + employeeID + shipVia) + freight + Double(length)
    }
}

extension Order: OrderValues {}

/// An order as a record that GRDB encodes and decodes.
private struct OrderRecord: Codable, FetchableRecord, PersistableRecord, OrderValues {
    static let databaseTableName = "orders"

    var orderID: Int64
    var customerID: String?
    var employeeID: Int64
    var orderDate: String?
    var requiredDate: String?
    var shippedDate: String?
    var shipVia: Int64
    var freight: Double
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?

    init(_ number: Int) {
        orderID = Int64(10248 + number)
        customerID = "CUST\(number % 91)"
        employeeID = Int64(number % 9 + 1)
        orderDate = "2016-07-\(10 + number % 20) 00:00:00"
        requiredDate = "2016-08-\(10 + number % 20) 00:00:00"
        shippedDate = number % 40 == 0 ? nil : "2016-07-\(10 + number % 20) 12:00:00"
        shipVia = Int64(number % 3 + 1)
        freight = Double(number % 997) * 0.25
        shipName = "Customer number \(number % 91)"
        shipAddress = "\(number % 300) Some Street, Building 4"
        shipCity = "Some City \(number % 70)"
        shipRegion = "Western Europe"
        shipPostalCode = "\(10_000 + number % 80_000)"
        shipCountry = "Country \(number % 20)"
    }
}

/// An order as a record with explicit columns, read by their indices.
private struct OrderColumns: FetchableRecord, TableRecord, OrderValues {
    static let databaseTableName = "orders"

    var orderID: Int64
    var customerID: String?
    var employeeID: Int64
    var orderDate: String?
    var requiredDate: String?
    var shippedDate: String?
    var shipVia: Int64
    var freight: Double
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?

    init(row: Row) {
        orderID = row[0]
        customerID = row[1]
        employeeID = row[2]
        orderDate = row[3]
        requiredDate = row[4]
        shippedDate = row[5]
        shipVia = row[6]
        freight = row[7]
        shipName = row[8]
        shipAddress = row[9]
        shipCity = row[10]
        shipRegion = row[11]
        shipPostalCode = row[12]
        shipCountry = row[13]
    }
}

/// The files with orders.
private final class OrderFiles {
    private static let names = [
        "orderID", "customerID", "employeeID", "orderDate", "requiredDate", "shippedDate", "shipVia", "freight",
        "shipName",
        "shipAddress", "shipCity", "shipRegion", "shipPostalCode", "shipCountry",
    ]

    private let stack: QuotedStack
    private let count: Int

    init(_ stack: QuotedStack, _ count: Int) {
        self.stack = stack
        self.count = count
    }

    private func storeURL() throws -> URL {
        try stack.store("orders") { context in
            for number in 0..<count {
                let record = OrderRecord(number)
                let order = Order(context: context)
                order.orderID = record.orderID
                order.customerID = record.customerID
                order.employeeID = record.employeeID
                order.orderDate = record.orderDate
                order.requiredDate = record.requiredDate
                order.shippedDate = record.shippedDate
                order.shipVia = record.shipVia
                order.freight = record.freight
                order.shipName = record.shipName
                order.shipAddress = record.shipAddress
                order.shipCity = record.shipCity
                order.shipRegion = record.shipRegion
                order.shipPostalCode = record.shipPostalCode
                order.shipCountry = record.shipCountry
            }
        }
    }

    private func check(_ sum: Double) throws {
        try QuotedStack.check(sum > Double(count) * 10_000, "the orders add up to \(sum)")
    }

    func fetch() throws -> Double {
        let context = try stack.context(storeURL())
        return try ObjectBenchmarks.seconds {
            var sum = 0.0
            for order in try context.fetch(NSFetchRequest<Order>(entityName: "Order")) { sum += order.sum }
            try check(sum)
        }
    }

    func fetchReference() throws -> Double {
        let database = try ReferenceDatabase(storeURL())
        return try ObjectBenchmarks.seconds {
            let columns = Self.names.map { "Z" + $0.uppercased() }.joined(separator: ", ")
            let statement = try database.prepare("SELECT \(columns) FROM ZORDER")
            defer { sqlite3_finalize(statement) }
            var sum = 0.0
            while sqlite3_step(statement) == SQLITE_ROW {
                for column: Int32 in [0, 2, 6] { sum += Double(sqlite3_column_int64(statement, column)) }
                sum += sqlite3_column_double(statement, 7)
                for column: Int32 in [1, 3, 4, 5, 8, 9, 10, 11, 12, 13] {
                    sum += Double(ReferenceDatabase.text(statement, column).utf8.count)
                }
            }
            try check(sum)
        }
    }

    func fetchRecords<Record: FetchableRecord & TableRecord & OrderValues>(_ type: Record.Type) throws -> Double {
        let url = try stack.file("order records") { url in
            let queue = try DatabaseQueue(path: url.path)
            try queue.write { database in
                try database.create(table: "orders") { table in
                    for name in Self.names {
                        switch name {
                        case "orderID", "employeeID", "shipVia": table.column(name, .integer)
                        case "freight": table.column(name, .double)
                        default: table.column(name, .text)
                        }
                    }
                }
                for number in 0..<count { try OrderRecord(number).insert(database) }
            }
            try queue.close()
        }
        let queue = try DatabaseQueue(path: url.path)
        let seconds = try ObjectBenchmarks.seconds {
            var sum = 0.0
            for order in try queue.read({ try Record.fetchAll($0) }) { sum += order.sum }
            try check(sum)
        }
        try queue.close()
        return seconds
    }
}
