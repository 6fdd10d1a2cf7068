import Kit

@objc protocol Watcher { @objc optional func changed() }
