import Foundation
import UIKit
import Combine
import SwiftUI

// None of the frameworks is used, as in files from Xcode's templates.
@objc protocol InboxDelegate: AnyObject {
    func inboxDidOpen()
    @objc optional func inbox(_ name: String, didReceive count: Int)
    @objc optional func inboxDidClose()
}

final class Inbox {
    weak var delegate: InboxDelegate?
    let others = NSHashTable<AnyObject>.weakObjects()
    let titles = NSMapTable<NSString, NSString>.strongToStrongObjects()

    func run() {
        delegate?.inboxDidOpen()
        delegate?.inbox?("Inbox", didReceive: 3)
        for other in others.allObjects { (other as? InboxDelegate)?.inboxDidClose?() }
        delegate?.inboxDidClose?()
    }

    var delay: UInt64 { 2 * NSEC_PER_SEC }
    func summary(_ count: Int) -> String { String(localized: "\(count) messages") }
}
