import CoreData
import Testing

/// Numbers in attributes without a type cast to every type of numbers that they fit, as through Objective-C.
@Suite(.overAllStores) struct NumberValueTests {
    private func cast(_ value: Any, _ body: (Any?) -> Void) throws {
        let context = try Library.context()
        let book = context.make("Book")
        book.setValue(value, forKey: "extra")
        body(book.value(forKey: "extra"))
        book.setPrimitiveValue(value, forKey: "extra")
        body(book.primitiveValue(forKey: "extra"))
    }

    @Test func realsCastToIntegers() throws {
        try cast(20.0) { value in #expect(value as? Int == 20 && value as? Double == 20 && value as? Float == 20) }
        try cast(20.5) { value in #expect(value as? Double == 20.5 && value as? Int == nil) }
        try cast(Float(2)) { value in #expect(value as? Int16 == 2 && value as? Double == 2) }
    }

    @Test func integersCastToReals() throws {
        try cast(3) { value in #expect(value as? Double == 3 && value as? Int8 == 3 && value as? Int == 3) }
        try cast(Int64.max) { value in #expect(value as? Int64 == .max && value as? Int32 == nil) }
        try cast(UInt8(7)) { value in #expect(value as? UInt8 == 7 && value as? Int == 7) }
        try cast(true) { value in #expect(value as? Bool == true) }
    }

    @Test func numbersAreSaved() throws {
        let context = try Library.context()
        _ = context.make("Book", ["extra": 20.0])
        try context.save()
        context.reset()
        let value = try context.all("Book").first?.value(forKey: "extra")
        #expect(value as? Int == 20 && value as? Double == 20)
    }
}
