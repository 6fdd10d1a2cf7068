import CoreData

let container = NSPersistentContainer(name: "Core")
