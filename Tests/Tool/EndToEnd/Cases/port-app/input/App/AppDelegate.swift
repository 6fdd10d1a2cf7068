import CoreData
import UIKit

@main class AppDelegate: UIResponder, UIApplicationDelegate {
    func save() { NotificationCenter.default.addObserver(self, selector: #selector(save), name: nil, object: nil) }
}
