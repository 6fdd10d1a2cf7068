/// An index of the positions of objects in an array, keyed by the objects' addresses.
///
/// The hash table contains only positions of four bytes each, because the array contains the objects. The array is
/// passed to each function, and must not have changed since the last call.
public final class ObjectPositions<Object: AnyObject> {
    /// Positions plus one; zero marks an empty bucket.
    @exclusivity(unchecked) @usableFromInline var table: UnsafeMutableBufferPointer<UInt32>
    @exclusivity(unchecked) @usableFromInline var count = 0

    /// Creates the index of an array that contains each object once.
    @inlinable
    public init(_ objects: [Object]) {
        table = Self.makeTable(for: objects.count)
        Self.withAddresses(objects) { addresses in for position in addresses.indices { enter(position, addresses) } }
    }

    @inlinable
    deinit {
        table.deallocate()
    }

    /// Returns the position of an object, or `nil` if the array does not contain it.
    @inlinable
    public func position(of object: Object, in objects: [Object]) -> Int? {
        Self.withAddresses(objects) { addresses in
            bucket(of: Unmanaged.passUnretained(object).toOpaque(), addresses).map { Int(table[$0]) - 1 }
        }
    }

    /// Adds the last object, which was just appended to the array.
    @inlinable
    public func recordLast(of objects: [Object]) {
        Self.withAddresses(objects) { addresses in
            guard (count + 1) * 2 > table.count else { return enter(addresses.count - 1, addresses) }
            table.deallocate()
            table = Self.makeTable(for: addresses.count)
            count = 0
            for position in addresses.indices { enter(position, addresses) }
        }
    }

    /// Removes the object at a position, to which the caller then moves the last object.
    @inlinable
    public func remove(at position: Int, from objects: [Object]) {
        Self.withAddresses(objects) { addresses in
            guard let removed = bucket(of: addresses[position], addresses) else { return }
            close(removed, addresses)
            count -= 1
            let last = addresses.count - 1
            if position < last, let moved = bucket(of: addresses[last], addresses) {
                table[moved] = UInt32(position + 1)
            }
        }
    }

    @inlinable
    static func makeTable(for count: Int) -> UnsafeMutableBufferPointer<UInt32> {
        var capacity = 32
        while capacity < count * 3 { capacity *= 2 }
        let table = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: capacity)
        table.initialize(repeating: 0)
        return table
    }

    /// Calls a function with the objects' addresses, without retaining the objects.
    @inlinable
    static func withAddresses<Result>(
        _ objects: [Object], _ body: (UnsafeBufferPointer<UnsafeMutableRawPointer>) -> Result
    ) -> Result {
        objects.withUnsafeBytes { body($0.bindMemory(to: UnsafeMutableRawPointer.self)) }
    }

    // MARK: Buckets

    @inlinable
    func start(_ address: UnsafeMutableRawPointer) -> Int {
        // Objects are aligned to sixteen bytes.
        let hash = UInt64(UInt(bitPattern: address) >> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash >> 32) & (table.count - 1)
    }

    @inlinable
    func next(_ bucket: Int) -> Int { (bucket + 1) & (table.count - 1) }

    @inlinable
    func bucket(
        of address: UnsafeMutableRawPointer, _ addresses: UnsafeBufferPointer<UnsafeMutableRawPointer>
    ) -> Int? {
        var bucket = start(address)
        while table[bucket] != 0 {
            let position = Int(table[bucket]) - 1
            if position < addresses.count, addresses[position] == address { return bucket }
            bucket = next(bucket)
        }
        return nil
    }

    @inlinable
    func enter(_ position: Int, _ addresses: UnsafeBufferPointer<UnsafeMutableRawPointer>) {
        var bucket = start(addresses[position])
        while table[bucket] != 0 { bucket = next(bucket) }
        table[bucket] = UInt32(position + 1)
        count += 1
    }

    /// Empties a bucket, and moves up the entries that would no longer be found after it.
    @inlinable
    func close(_ removed: Int, _ addresses: UnsafeBufferPointer<UnsafeMutableRawPointer>) {
        let mask = table.count - 1
        var hole = removed
        var bucket = next(removed)
        while table[bucket] != 0 {
            let position = Int(table[bucket]) - 1
            // An entry may not be moved in front of its home bucket.
            if position < addresses.count, (bucket &- start(addresses[position])) & mask >= (bucket &- hole) & mask {
                table[hole] = table[bucket]
                hole = bucket
            }
            bucket = next(bucket)
        }
        table[hole] = 0
    }
}
