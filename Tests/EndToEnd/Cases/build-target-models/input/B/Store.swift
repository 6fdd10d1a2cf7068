@objc class Store {}
