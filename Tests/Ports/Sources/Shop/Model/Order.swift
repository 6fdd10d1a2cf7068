import CoreData
import UIKit

@objc(Order)
public class Order: NSManagedObject {
    /// Orders have numbers of their own from the first save on.
    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Order.next, forKey: #keyPath(number))
        Order.next += 1
    }

    private static var next: Int64 = 1
}
