import UIKit

class Foreign {}
