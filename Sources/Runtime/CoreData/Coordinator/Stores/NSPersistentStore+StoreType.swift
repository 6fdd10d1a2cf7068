extension NSPersistentStore {
    /// The type of a store, with shorter names.
    ///
    /// ```swift
    /// try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    /// ```
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name of the type.
        public let rawValue: String

        /// Creates a type from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Stores in SQLite files.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Stores in XML files; see `NSXMLStoreType`.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// Stores in binary files; see `NSBinaryStoreType`.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// In-memory stores.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}
