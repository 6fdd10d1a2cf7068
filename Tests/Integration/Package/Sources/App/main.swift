import CoreData
import Foundation
import Library

let container = NSPersistentContainer(name: "App")
container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
let context = container.viewContext

func make<T: NSManagedObject>(_ name: String) -> T {
    guard let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context) as? T else {
        fatalError("an object of \(name) is not of type \(T.self)")
    }
    return object
}

let label: Label = make("Label")
let project: Project = make("Project")
let task: Task = make("Task")
let person: Person = make("Person")

print(
    "new:", project.name, project.storedName ?? "-", project.count, project.stage, project.id != nil, task.title ?? "-")
project.name = "modelc"
project.created = Date(timeIntervalSinceReferenceDate: 0)
project.stage = .draft
project.isOpen = true
project.ratio = 0.5
project.count += 1
project.weight = 1.25
project.budget = 100
project.amount = NSDecimalNumber(string: "2.5")
print("empty:", project.file.count)
project.file = Data([1, 2, 3])
project.link = URL(string: "https://example.org")
project.color = ["red": "ff0000"]
label.name = "urgent"
project.addToLabels(label)
let second = Label(context: context)
second.name = "later"
project.insertIntoLabels(second, at: 0)
print("labels:", project.labels?.compactMap { ($0 as? Label)?.name } ?? [])
project.removeFromLabels(at: 0)
project.replaceLabels(at: 0, with: second)
project.insertIntoLabels([label], at: NSIndexSet(index: 1))
print("labels:", project.labels?.compactMap { ($0 as? Label)?.name } ?? [], label.projects.count)

task.title = "write"
task.due = Date(timeIntervalSinceReferenceDate: 86400)
task.owner = person
person.name = "Ada"
project.addToTasks(task)
let other = Task(context: context)
project.addToTasks([other])
print("tasks:", project.tasks.count, person.openTasks.count, task.project === project)
project.tasks = [task]
project.removeFromTasks(task)
print("tasks:", project.tasks.count, other.project as Any)
project.tasks.insert(task)
try context.save()

let found = try context.fetch(Project.fetchRequest())[0]
print(
    "saved:", found.name, found.stage, found.isOpen, found.ratio, found.count, found.weight, found.budget ?? 0,
    found.amount ?? 0, found.file.count, found.link?.absoluteString ?? "-", found.color ?? [:],
    found.tasks.first?.title ?? "-", found.tasks.first?.owner?.name ?? "-")
print("by key path:", found[keyPath: \.name], (found.value(forKeyPath: "tasks.title") as? NSSet)?.anyObject() ?? "-")

let library = Library.container().viewContext
let author = Author(context: library)
author.name = "Jane Austen"
let book = Book(context: library)
book.author = author
try library.save()
print("library:", author.books?.count ?? 0)
