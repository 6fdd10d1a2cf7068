import CoreData
import CoreDataPostgreSQL
import Foundation

/// The database that the programs share: the stock of a warehouse.
public enum Stock {
    /// Opens the database named by the first argument or `DATABASE_URL`, or else `stock` on this machine.
    ///
    /// Prints a sentence and exits if it cannot.
    public static func open(author: String) -> NSPersistentContainer {
        let argument = CommandLine.arguments.dropFirst().first
        let text = argument ?? ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "postgresql:///stock"
        do {
            let container = try load(text)
            container.viewContext.transactionAuthor = author
            return container
        } catch {
            stop("cannot open \(shown(text))", error)
        }
    }

    /// Opens the database with a URL.
    public static func load(_ text: String) throws -> NSPersistentContainer {
        let description = NSPersistentStoreDescription()
        description.type = NSPostgreSQLStoreType
        description.url = URL(string: text)
        // The history records which objects a program has changed; the other option notifies the other programs.
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        let container = NSPersistentContainer(name: "Stock", managedObjectModel: makeModel())
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// Prints a sentence about an error, and exits.
    public static func stop(_ problem: String, _ error: any Error) -> Never {
        let reason = error.localizedDescription.split(separator: "\n").joined(separator: " ")
        FileHandle.standardError.write(Data("\(problem): \(reason)\n".utf8))
        exit(1)
    }

    /// Returns a URL without its password.
    private static func shown(_ text: String) -> String {
        var components = URLComponents(string: text)
        components?.password = nil
        components?.query = nil
        return components?.string ?? "the database"
    }

    private static func makeModel() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let name = attribute("name", .stringAttributeType)
        // The history tells which item was deleted.
        name.preservesValueInHistoryOnDeletion = true
        let item = NSEntityDescription()
        item.name = "Item"
        item.properties = [name, attribute("count", .integer64AttributeType)]
        item.uniquenessConstraints = [["name"]]
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    /// Prints a line at once, even if the output is a pipe.
    public static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// All items, by name.
    public static var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }
}
