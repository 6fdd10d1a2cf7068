/// The entity descriptions of fetch requests for the history. Their properties are the keys that predicates may use.
enum HistoryEntities {
    static var transaction: NSEntityDescription? { model.entitiesByName["TRANSACTION"] }
    static var change: NSEntityDescription? { model.entitiesByName["CHANGE"] }

    /// Created once, and never changed.
    nonisolated(unsafe) private static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let transaction = NSEntityDescription()
        transaction.name = "TRANSACTION"
        transaction.properties = [
            attribute("author", .stringAttributeType), attribute("bundleID", .stringAttributeType),
            attribute("contextName", .stringAttributeType), attribute("processID", .stringAttributeType),
            attribute("storeID", .stringAttributeType), attribute("timestamp", .dateAttributeType),
            attribute("transactionNumber", .integer64AttributeType),
        ]
        let change = NSEntityDescription()
        change.name = "CHANGE"
        change.properties = [
            attribute("changeID", .integer64AttributeType), attribute("changeType", .integer16AttributeType),
            attribute("changedObjectID", .objectIDAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [transaction, change]
        model.makeImmutable()
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }
}
