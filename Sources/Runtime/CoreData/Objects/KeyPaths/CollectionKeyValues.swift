public import Foundation

// Key-value coding of Foundation's collections, which Foundation on Linux lacks. The members are managed objects,
// dictionaries, or objects of classes that modelc's build plugin knows (`KeyValueReadable`).

extension NSArray {
    /// Returns the members' values of a key, with `NSNull` for `nil`. Keys such as `@count` are operators.
    public func value(forKey key: String) -> Any { KeyPathValues.value(of: self, key) ?? NSNull() }

    /// Returns the members' values of a key path, which may contain operators such as `@sum.pages`.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }

    /// Sets the value of a key in each member.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, of: self, key) }
}

extension NSSet {
    /// Returns the set of the members' values of a key; `nil` is omitted. Keys such as `@count` are operators.
    public func value(forKey key: String) -> Any { KeyPathValues.value(of: self, key) ?? NSSet() }

    /// Returns the set of the members' values of a key path, which may contain operators such as `@sum.pages`.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }

    /// Sets the value of a key in each member.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, of: self, key) }
}

extension NSOrderedSet {
    /// Returns the ordered set of the members' values of a key. Keys such as `@count` are operators.
    public func value(forKey key: String) -> Any { KeyPathValues.value(of: self, key) ?? NSOrderedSet() }

    /// Returns the ordered set of the members' values of a key path, which may contain operators such as `@sum.pages`.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }

    /// Sets the value of a key in each member.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, of: self, key) }
}

extension NSDictionary {
    /// Returns the object for a key, or `nil`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Returns the value at the end of a key path.
    public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }
}

extension NSMutableDictionary {
    /// Sets the object for a key, or removes it if the value is `nil`.
    public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, of: self, key) }
}
