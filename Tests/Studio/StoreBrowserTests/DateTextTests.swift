import CoreData
import Foundation
import ModelcDriver
import StoreDoctor
import Testing

@testable import StoreBrowser

/// Dates as text and back, and other values that must not change on the way.
@Suite struct DateTextTests {
    private func seconds(_ text: String) -> Double? { DateText.date(text)?.timeIntervalSinceReferenceDate }

    @Test(arguments: [
        "1066-10-20T12:00:00.000Z", "1500-01-01T00:00:00.000Z", "1582-10-04T23:59:59.999Z", "1582-10-15T00:00:00.000Z",
        "0001-01-01T00:00:00.000Z", "0000-02-29T00:00:00.000Z", "-0218-10-19T19:33:20.000Z", "1500-02-29T00:00:00.000Z",
        "2000-02-29T12:34:56.789Z", "2026-11-26T01:02:03.123456Z", "4001-01-01T00:00:00.000Z",
    ])
    func typedTextIsShown(text: String) throws {
        #expect(DateText.text(of: try #require(DateText.date(text))) == text)
    }

    @Test(arguments: [
        "1582-10-05", "1582-10-14", "1900-02-29", "2001-13-01", "2001-01-32", "2001-00-01", "2001-01-01T24:00",
    ])
    func impossibleDatesAreRejected(text: String) {
        #expect(DateText.date(text) == nil)
    }

    @Test func everyDateIsReadBackExactly() {
        for date in [Date.distantPast, .distantFuture] { #expect(DateText.date(DateText.text(of: date)) == date) }
        #expect(DateText.text(of: .distantPast) == "0001-01-01T00:00:00.000Z")
        #expect(DateText.text(of: .distantFuture) == "4001-01-01T00:00:00.000Z")
        #expect(seconds("2001-01-01") == 0 && seconds("2001-01-01T00:00:00+01:00") == -3600)
        for value in [
            0, 0.25, 0.1, 0.123456, -0.000001, -1e-20, 1e-300, 123_456_789.987654321, -70_000_000_000, 1e11, -1e15,
            1e300,
            -63_114_076_800.5, 785_000_000.1234567,
        ] {
            let text = DateText.text(of: Date(timeIntervalSinceReferenceDate: value))
            #expect(seconds(text) == value, "\(text)")
        }
        // As Foundation has them.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for day in stride(from: -1_150_000.0, to: 1_150_000, by: 997) {
            let date = Date(timeIntervalSinceReferenceDate: day * 86_400 + 0.5)
            let text = DateText.text(of: date)
            #expect(DateText.date(text) == date)
            let parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
            let year = parts.era == 0 ? 1 - (parts.year ?? 0) : parts.year ?? 0
            let digits = String(abs(year))
            let padded = (year < 0 ? "-" : "") + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            #expect(text.hasPrefix("\(padded)-"), "\(text) \(parts)")
            #expect(Int(text.dropFirst(padded.count + 4).prefix(2)) == parts.day, "\(text) \(parts)")
        }
    }

    private func value(_ text: String, _ type: NSAttributeType) -> Any? {
        let attribute = NSAttributeDescription()
        attribute.name = "value"
        attribute.attributeType = type
        return try? ValueParser.value(text, attribute)
    }

    @Test func numbersThatAStoreCannotHoldAreRejected() {
        for text in ["nan", "-nan", "1e39", "-1e39"] { #expect(value(text, .floatAttributeType) == nil, "\(text)") }
        for text in ["nan", "1e400"] { #expect(value(text, .doubleAttributeType) == nil, "\(text)") }
        #expect(value("inf", .doubleAttributeType) as? Double == .infinity)
        #expect(value("-inf", .floatAttributeType) as? Float == -.infinity)
        #expect(value("1e38", .floatAttributeType) as? Float == 1e38)
        #expect(value("5e-324", .doubleAttributeType) as? Double == Double.leastNonzeroMagnitude)
    }

    @Test(arguments: [ExportFormat.csv, .json])
    func anExportGivesEqualDates(format: ExportFormat) throws {
        let store = try BookStore(books: 5)
        let dates = [0.123456, -70_000_000_000, -63_114_076_800, 785_000_000.1234567, -1e-20, 1e15]
        try store.change { context in
            for (book, date) in zip(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")), dates) {
                book.setValue(Date(timeIntervalSinceReferenceDate: date), forKey: "published")
                book.setValue(nil, forKey: "code")
            }
        }
        let service = StoreService(
            path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: true, isReadOnly: false,
            files: POSIXFileSystem())
        let text = try service.export(ListQuery(entity: "Book"), as: format).text()
        let reply = service.reply(to: .importRows(entity: "Book", format: format, text: text, skipsInvalidRows: false))
        #expect(reply.imported?.imported == 6)
        #expect(service.reply(to: .save).notice == "Saved")
        let context = try store.stack()
        let found = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                .compactMap { ($0.value(forKey: "published") as? Date)?.timeIntervalSinceReferenceDate }
        }
        #expect(found.sorted() == (dates + dates).sorted())
    }
}
