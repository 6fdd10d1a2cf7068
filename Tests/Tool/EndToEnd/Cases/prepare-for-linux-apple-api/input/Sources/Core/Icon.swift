import UIKit

let icon = UIImage()
