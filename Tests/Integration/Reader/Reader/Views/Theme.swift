import UIKit

enum Theme {
    case paper, night

    var background: UIColor { self == .paper ? .white : .black }
}
