import SwiftData
import Testing

/// A version of a schema that lists a model of an earlier one, whose relationships name the earlier classes.
@Suite struct OtherVersionTests {
    @Test func anInverseIsThatOfTheClassInTheSchema() throws {
        let context = ModelContext(try ShopV2.makeContainer())
        let (category, product) = (ShopV1.Category(), ShopV2.Product(category: nil))
        context.insert(category)
        context.insert(product)
        product.category = category
        try context.save()
        nonisolated(unsafe) var changes: [String] = []
        withObservationTracking {
            _ = product.category
        } onChange: {
            changes.append("category")
        }
        withObservationTracking {
            _ = product.title
        } onChange: {
            changes.append("title")
        }
        category.products = []
        #expect(changes == ["category"] && product.category == nil)
    }

    @Test func aRelationshipToAnotherClassThanThatInTheSchemaTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = ModelContext(try ShopV2.makeContainer())
            let (category, product) = (ShopV1.Category(), ShopV2.Product(category: nil))
            context.insert(category)
            context.insert(product)
            product.category = category
            print(category.products.map(\.title))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            message.contains("Product in the container's schema is not SwiftDataTests.ShopV1.Product"), "\(message)")
    }
}

enum ShopV1 {
    @Model final class Category {
        @Relationship(inverse: \Product.category) var products: [Product] = []

        init() {}
    }

    @Model final class Product {
        var title = ""
        var category: Category?

        init() {}
    }
}

enum ShopV2 {
    static func makeContainer() throws -> ModelContainer {
        try SwiftDataTests.makeContainer(ShopV1.Category.self, Product.self)
    }

    @Model final class Product {
        var code = 0
        var title = ""
        var category: ShopV1.Category?

        init(category: ShopV1.Category?) { self.category = category }
    }
}
