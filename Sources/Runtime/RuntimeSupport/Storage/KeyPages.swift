/// A table of unretained objects keyed by integer. The owner manages their lifetime.
///
/// Keys of rows are mostly consecutive, so sixteen keys share one entry of the table. The table stays small enough for
/// the processor's cache, and a loop over the rows mostly finds the next object on the same page.
public struct KeyPages<Object: AnyObject>: ~Copyable {
    @usableFromInline let table = ProbeTable<Page>()
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// A page of sixteen slots.
    @usableFromInline
    struct Page: ProbeEntry {
        @inlinable static var size: Int { 16 }

        @usableFromInline let number: Int64
        @usableFromInline let objects: UnsafeMutablePointer<Unmanaged<Object>?>
        /// The number of occupied slots.
        @usableFromInline let used: UnsafeMutablePointer<Int>

        @inlinable var probeHash: Int { KeyHash.bits(number) }

        @inlinable
        init(_ number: Int64) {
            self.number = number
            objects = .allocate(capacity: Self.size)
            objects.initialize(repeating: nil, count: Self.size)
            used = .allocate(capacity: 1)
            used.initialize(to: 0)
        }

        @inlinable
        func deallocate() {
            objects.deallocate()
            used.deallocate()
        }

        @inlinable
        static func number(_ key: Int64) -> Int64 { key >> 4 }

        @inlinable
        static func position(_ key: Int64) -> Int { Int(truncatingIfNeeded: key & 15) }

        @inlinable
        func key(_ position: Int) -> Int64 { number << 4 | Int64(position) }
    }

    @usableFromInline
    struct State {
        @usableFromInline var count = 0
        /// The most recently used page.
        @usableFromInline var last: Page?

        @inlinable init() {}
    }

    /// Creates an empty table.
    @inlinable
    public init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    @inlinable
    deinit {
        table.forEach { $0.deallocate() }
        state.deallocate()
    }

    /// The number of objects.
    @inlinable public var count: Int { state.pointee.count }

    /// The object of a key, or `nil` if there is none.
    @inlinable @inline(__always)
    public subscript(key: Int64) -> Unmanaged<Object>? { page(Page.number(key))?.objects[Page.position(key)] }

    @inlinable @inline(__always)
    func page(_ number: Int64) -> Page? {
        if let last = state.pointee.last, last.number == number { return last }
        guard let position = table.position(KeyHash.bits(number), where: { $0.number == number }) else { return nil }
        state.pointee.last = table[position]
        return table[position]
    }

    /// Sets the object of a key, and returns the previous one.
    @inlinable @discardableResult
    public func set(_ object: Unmanaged<Object>, _ key: Int64) -> Unmanaged<Object>? {
        let number = Page.number(key)
        let page = page(number) ?? makePage(number)
        let old = page.objects[Page.position(key)]
        page.objects[Page.position(key)] = object
        if old == nil {
            page.used.pointee += 1
            state.pointee.count += 1
        }
        return old
    }

    @inlinable
    func makePage(_ number: Int64) -> Page {
        let page = Page(number)
        table.insert(page)
        state.pointee.last = page
        return page
    }

    /// Removes and returns the object of a key.
    @inlinable @discardableResult
    public func remove(_ key: Int64) -> Unmanaged<Object>? {
        let number = Page.number(key)
        guard let page = page(number), let old = page.objects[Page.position(key)] else { return nil }
        page.objects[Page.position(key)] = nil
        state.pointee.count -= 1
        page.used.pointee -= 1
        guard page.used.pointee == 0 else { return old }
        if let position = table.position(KeyHash.bits(number), where: { $0.number == number }) {
            table.remove(at: position)
        }
        state.pointee.last = nil
        page.deallocate()
        return old
    }

    /// Calls a function with each key and object.
    @inlinable
    public func forEach(_ body: (Int64, Unmanaged<Object>) -> Void) {
        table.forEach { page in
            for position in 0..<Page.size {
                if let object = page.objects[position] { body(page.key(position), object) }
            }
        }
    }

    /// Removes all objects.
    @inlinable
    public func removeAll() {
        table.forEach { $0.deallocate() }
        table.removeAll()
        state.pointee = State()
    }

    /// Swaps the contents of two tables.
    @inlinable
    public func exchange(with other: borrowing KeyPages) {
        table.exchange(with: other.table)
        swap(&state.pointee, &other.state.pointee)
    }
}
