import Foundation
import UIKit

let start = Date()
