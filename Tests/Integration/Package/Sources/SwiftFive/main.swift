import CoreData

public class Übersetzer: NSManagedObject {
    @NSManaged var straße: String?
    @NSManaged var bücher: NSSet?
    @NSManaged func addToBücher(_ buch: Buch)
}

let container = NSPersistentContainer(name: "Bücher & mehr")
container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
container.loadPersistentStores { _, error in if let error { fatalError("\(error)") } }
let buch = Buch(context: container.viewContext)
buch.titel = "Über allen Gipfeln"
buch.größe = 12
let übersetzer = Übersetzer(context: container.viewContext)
übersetzer.straße = "Frauenplan"
übersetzer.addToBücher(buch)
try container.viewContext.save()
print(buch.titel ?? "-", buch.größe, buch.übersetzer?.straße ?? "-", übersetzer.bücher?.count ?? 0)
