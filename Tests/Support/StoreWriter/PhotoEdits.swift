import CoreData
import Foundation

/// The model of the stores that `SharedStoreFuzzTests` edits, which builds the same one.
func makePhotoModel() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    let payload = attribute("payload", .transformableAttributeType)
    payload.valueTransformerName = "SharedStoreFuzzTests.Payload"
    let photo = NSEntityDescription()
    photo.name = "Photo"
    photo.properties = [
        attribute("number", .integer64AttributeType), attribute("value", .integer64AttributeType), data, payload,
    ]
    let model = NSManagedObjectModel()
    model.entities = [photo]
    return model
}

/// Edits a store as the lines of standard input say, and answers each with a line:
///
///     insert NUMBER VALUE BYTE   value NUMBER VALUE   data NUMBER BYTE   delete NUMBER   metadata KEY VALUE
///
/// This program has no transformer for the payload, so it cannot read it.
func editPhotos(_ path: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makePhotoModel())
    let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
        options: [NSPersistentStoreTimeoutOption: 30])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        do {
            try context.performAndWait {
                context.reset()
                if words[0] == "metadata" {
                    var metadata = coordinator.metadata(for: store)
                    metadata[words[1]] = words[2]
                    coordinator.setMetadata(metadata, for: store)
                } else {
                    try editPhoto(words, context)
                }
                try context.save()
            }
            report("ok")
        } catch {
            report("failed \((error as NSError).code) \(error)".replacingOccurrences(of: "\n", with: " "))
        }
    }
}

private func editPhoto(_ words: [String], _ context: NSManagedObjectContext) throws {
    let number = Int(words[1]) ?? 0
    func data(_ word: String) -> Data { Data(repeating: UInt8(word) ?? 0, count: 110_000) }
    if words[0] == "insert" {
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(number, forKey: "number")
        photo.setValue(Int(words[2]), forKey: "value")
        photo.setValue(data(words[3]), forKey: "data")
        return
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
    request.predicate = NSPredicate(format: "number == %@", NSNumber(value: number))
    guard let photo = try context.fetch(request).first else { throw CocoaError(.coreData) }
    switch words[0] {
    case "value": photo.setValue(Int(words[2]), forKey: "value")
    case "data": photo.setValue(data(words[2]), forKey: "data")
    default: context.delete(photo)
    }
}
