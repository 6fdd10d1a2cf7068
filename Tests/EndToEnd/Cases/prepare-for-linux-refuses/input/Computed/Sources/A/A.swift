import CoreData
