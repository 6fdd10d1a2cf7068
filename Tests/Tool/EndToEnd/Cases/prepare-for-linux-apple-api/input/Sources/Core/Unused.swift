import Combine
import UIKit

let size: CGFloat = 3
