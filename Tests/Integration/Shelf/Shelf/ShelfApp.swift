import SwiftData
import SwiftUI

@main
struct ShelfApp: App {
    var body: some Scene {
        WindowGroup { Text("Shelf") }.modelContainer(for: Item.self)
    }
}
