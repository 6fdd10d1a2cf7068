import CSQLite3
import CoreData
import CoreDataPostgreSQL
import Foundation
import Synchronization

// Writes to a store until killed, or counts in it; tests run this program as another process. For “write”, “count” and
// “migrate” the path may be the URL of a PostgreSQL database.
//
//     StoreWriter write PATH     keeps saving groups of objects, and prints the number of each group that is saved
//     StoreWriter count PATH N   adds one to a counter N times, while others count
//     StoreWriter fill PATH [N]  does as `write` until a save fails, says so, waits for a line of input, and saves again; no file of
//                                it may have more than N bytes until then
//     StoreWriter persist PATH N  saves groups with the numbers N, N + 1 … until its input ends, prints the number of each group that
//                                is saved, says when a save fails, and saves again
//     StoreWriter read PATH      counts groups until its input ends, and says when that fails; the store is read-only
//     StoreWriter lock PATH      locks the file against writers until it is killed
//     StoreWriter migrate PATH MODEL [N [TYPE]]  migrates the store to a model, and says how that went; no file may have more than
//                                   N bytes; the store is a SQLite store unless a type is given

//     StoreWriter copy PATH MODEL TYPE DESTINATION  writes a SQLite store's objects into a new store of another type
//     StoreWriter edit PATH  edits photos as the lines of its input say
//     StoreWriter history PATH MODEL  inserts, changes and deletes an object of “Author” in a store that keeps a history from then on

/// The model of this program and of the tests that look at what it has left.
func makeModel() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    let group = NSEntityDescription()
    group.name = "Group"
    let item = NSEntityDescription()
    item.name = "Item"
    let content = attribute("content", .binaryDataAttributeType)
    content.allowsExternalBinaryDataStorage = true
    let items = NSRelationshipDescription()
    items.name = "items"
    items.destinationEntity = item
    items.isOrdered = true
    items.maxCount = 0
    let owner = NSRelationshipDescription()
    owner.name = "group"
    owner.destinationEntity = group
    owner.maxCount = 1
    items.inverseRelationship = owner
    owner.inverseRelationship = items
    group.properties = [attribute("number", .integer64AttributeType), items]
    item.properties = [attribute("number", .integer64AttributeType), content, owner]
    let counter = NSEntityDescription()
    counter.name = "Counter"
    counter.properties = [attribute("value", .integer64AttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [group, item, counter]
    return model
}

/// Writes a line to standard output without buffering.
func report(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Returns the number of the last saved group.
func lastNumber(_ context: NSManagedObjectContext) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    request.fetchLimit = 1
    return try context.fetch(request).first?.value(forKey: "number") as? Int ?? 0
}

/// Creates a group, and changes and deletes objects that were saved before.
func makeChanges(_ number: Int, _ context: NSManagedObjectContext) throws {
    let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
    group.setValue(number, forKey: "number")
    for index in 0..<3 {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(number, forKey: "number")
        let size = index == 0 && number % 3 == 0 ? 150_000 : 1000
        item.setValue(Data(repeating: UInt8(truncatingIfNeeded: number), count: size), forKey: "content")
        item.setValue(group, forKey: "group")
    }
    let others = NSFetchRequest<NSManagedObject>(entityName: "Item")
    others.predicate = NSPredicate(format: "number == %@", NSNumber(value: number - 5))
    for item in try context.fetch(others) {
        item.setValue(Data(repeating: UInt8(truncatingIfNeeded: number - 5), count: 120_000), forKey: "content")
    }
    let old = NSFetchRequest<NSManagedObject>(entityName: "Item")
    old.predicate = NSPredicate(format: "number == %@", NSNumber(value: number - 20))
    for item in try context.fetch(old) { context.delete(item) }
}

func write(_ context: NSManagedObjectContext) throws {
    var number = try lastNumber(context) + 1
    while true {
        try makeChanges(number, context)
        try context.save()
        report("\(number)")
        number += 1
    }
}

/// Saves until there is no space, and once more when there is.
///
/// - Parameter hasFailed: Whether opening the store had failed for lack of space, which is available now.
func fill(_ context: NSManagedObjectContext, hasFailed: Bool) throws {
    var number = try lastNumber(context) + 1
    while true {
        try makeChanges(number, context)
        // The log does not grow, because files are removed after a checkpoint; these rows make the database grow.
        for _ in 0..<100 { _ = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context) }
        // Include changes that follow from the changes.
        context.processPendingChanges()
        let before = unsavedChanges(context)
        do {
            try context.save()
            report("\(number)")
            if hasFailed { return }
        } catch let error as NSError {
            let isKept = unsavedChanges(context) == before
            report("failed \(error.domain) \(error.code) \(isKept ? "kept" : "lost")")
            _ = readLine()
            limitFiles(to: nil)
            try context.save()
            return report("\(number)")
        }
        number += 1
    }
}

/// Returns descriptions of the unsaved changes in a context.
func unsavedChanges(_ context: NSManagedObjectContext) -> [String] {
    func text(_ kind: String, _ objects: Set<NSManagedObject>) -> [String] {
        objects.map { object in
            let hasNumber = object.entity.attributesByName["number"] != nil
            let number = hasNumber ? object.value(forKey: "number") as? Int ?? 0 : 0
            let size = object.entity.name == "Item" ? (object.value(forKey: "content") as? Data)?.count ?? 0 : 0
            let isTemporary = object.objectID.isTemporaryID
            return "\(kind) \(object.entity.name ?? "") \(number) \(size) \(ObjectIdentifier(object)) \(isTemporary)"
        }
    }
    let all =
        text("inserted", context.insertedObjects) + text("updated", context.updatedObjects)
        + text("deleted", context.deletedObjects)
    return all.sorted()
}

/// Migrates a store by opening it with the model of a file.
func migrate(_ path: String, to model: String, limit: Int?, type: String) {
    guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: model)) else { return report("no model") }
    limitFiles(to: limit)
    let isDatabase = path.hasPrefix("postgresql:")
    report("begins")
    do {
        try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
            ofType: isDatabase ? NSPostgreSQLStoreType : type, configurationName: nil,
            at: isDatabase ? URL(string: path) : URL(fileURLWithPath: path),
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ])
        report("migrated")
    } catch let error as NSError {
        report("failed \(error.domain) \(error.code)")
    }
}

/// Makes writes beyond a file size fail, as on a full disk; `nil` removes the limit.
func limitFiles(to bytes: Int?) {
    #if canImport(Glibc)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes.map { min(rlim_t($0), limit.rlim_max) } ?? limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #endif
}

/// Saves groups, and again what could not be saved, until the input ends.
func persist(_ context: NSManagedObjectContext, from first: Int) {
    var number = first
    while !InputState.hasEnded.load(ordering: .relaxed) {
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue(number, forKey: "number")
        while context.hasChanges {
            do {
                try context.save()
                report("\(number)")
                // Many programs share a machine with the servers.
                Thread.sleep(forTimeInterval: 0.02)
            } catch let error as NSError {
                report("failed \(error.domain) \(error.code)")
                if InputState.hasEnded.load(ordering: .relaxed) { return }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
        number += 1
    }
}

/// Counts the groups again and again, with a context that has no objects, until the input ends.
func read(_ context: NSManagedObjectContext) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
    while !InputState.hasEnded.load(ordering: .relaxed) {
        do {
            report("\(try context.count(for: request))")
        } catch let error as NSError {
            report("failed \(error.domain) \(error.code)")
        }
        Thread.sleep(forTimeInterval: 0.1)
    }
}

/// Whether the program was told to stop.
enum InputState {
    static let hasEnded = Atomic(false)

    /// Notices the end of the input on a thread.
    static func watch() {
        Thread.detachNewThread {
            while readLine() != nil {}
            hasEnded.store(true, ordering: .relaxed)
        }
    }
}

func count(_ context: NSManagedObjectContext, _ times: Int) throws {
    var left = times
    while left > 0 {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
        guard let counter = try context.fetch(request).first else { throw CocoaError(.coreData) }
        context.refresh(counter, mergeChanges: false)
        counter.setValue((counter.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
        do {
            try context.save()
            left -= 1
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            // Another process was faster.
            context.rollback()
            context.reset()
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
    fatalError("usage: StoreWriter write|count|fill|persist|read|lock|migrate|copy|edit|history PATH [NUMBER]")
}
if arguments[1] == "lock" {
    var database: OpaquePointer?
    let isLocked =
        sqlite3_open(arguments[2], &database) == SQLITE_OK
        && sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
    report(isLocked ? "locked" : "failed")
    while true { sleep(1000) }
}
// A write to a file that must not grow must fail instead of terminating the program.
signal(SIGXFSZ, SIG_IGN)
if arguments[1] == "migrate", arguments.count > 3 {
    migrate(
        arguments[2], to: arguments[3], limit: arguments.count > 4 ? Int(arguments[4]) : nil,
        type: arguments.count > 5 ? arguments[5] : NSSQLiteStoreType)
    exit(0)
}
if arguments[1] == "edit" {
    try editPhotos(arguments[2])
    exit(0)
}
if ["copy", "history"].contains(arguments[1]), arguments.count > 3 {
    try writeStudioStore(arguments)
    exit(0)
}
let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
func openStore() throws {
    let isDatabase = arguments[2].hasPrefix("postgresql:")
    let url = isDatabase ? URL(string: arguments[2]) : URL(fileURLWithPath: arguments[2])
    try coordinator.addPersistentStore(
        ofType: isDatabase ? NSPostgreSQLStoreType : NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSPersistentStoreTimeoutOption: 30, NSReadOnlyPersistentStoreOption: arguments[1] == "read"])
}
var hasFailed = false
if arguments[1] == "fill" {
    limitFiles(to: arguments.count > 3 ? Int(arguments[3]) : nil)
    do {
        try openStore()
    } catch let error as NSError {
        // Without space for the index of the log, nothing can be read either.
        report("failed \(error.domain) \(error.code) kept")
        hasFailed = true
        _ = readLine()
        try openStore()
    }
} else {
    try openStore()
}
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.persistentStoreCoordinator = coordinator
try context.performAndWait {
    switch arguments[1] {
    case "count": try count(context, arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
    case "read":
        InputState.watch()
        read(context)
    case "persist":
        InputState.watch()
        persist(context, from: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
    case "fill": try fill(context, hasFailed: hasFailed)
    default: try write(context)
    }
}
