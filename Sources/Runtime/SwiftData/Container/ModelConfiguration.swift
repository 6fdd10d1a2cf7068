public import Foundation

/// The settings of a store: where its file is, and what it holds.
///
/// ```swift
/// let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
/// let container = try ModelContainer(for: Book.self, configurations: configuration)
/// ```
public struct ModelConfiguration: DataStoreConfiguration, Hashable, Identifiable, CustomDebugStringConvertible,
    @unchecked Sendable
{
    /// The store's class.
    public typealias Store = DefaultStore

    /// The folder that several apps share.
    public struct GroupContainer: Hashable, Sendable {
        let identifier: String?
        /// The app's own folder.
        public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
        /// The app's own folder.
        public static var none: GroupContainer { GroupContainer(identifier: nil) }
        /// The folder of a group: on Linux, one with the identifier as its name in the user's data folder, or in the
        /// folder that the environment variable `SWIFTDATA_GROUP_CONTAINERS` names.
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
    }

    /// The database in iCloud. Has no effect on Linux.
    public struct CloudKitDatabase: Hashable, Sendable {
        let identifier: String?
        /// The database that the app's entitlements name.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(identifier: nil) }
        /// No database.
        public static var none: CloudKitDatabase { CloudKitDatabase(identifier: nil) }
        /// The private database of a container.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
            CloudKitDatabase(identifier: privateDBName)
        }
    }

    /// The name, from which that of the file is made; `default` unless given.
    public let name: String
    /// The entities of the store; `nil` for all.
    public var schema: Schema?
    /// The file. `/dev/null` for a store in memory.
    public let url: URL
    /// Whether the store is in memory and ends with the container.
    public let isStoredInMemoryOnly: Bool
    /// Whether the store can be changed.
    public let allowsSave: Bool
    /// The folder that several apps share.
    public let groupContainer: GroupContainer
    /// The database in iCloud.
    public let cloudKitDatabase: CloudKitDatabase
    let isNamed: Bool

    /// The file, which identifies a configuration.
    public var id: URL { url }
    /// The identifier of the group.
    public var groupAppContainerIdentifier: String? { groupContainer.identifier }
    /// The identifier of the container in iCloud.
    public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }

    /// Creates the configuration of a store at the default location, or in memory.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        let url =
            isStoredInMemoryOnly
            ? URL(fileURLWithPath: "/dev/null")
            : ConfigurationFolder.url(of: groupContainer.identifier).appendingPathComponent(
                "\(name ?? "default").store")
        self.init(
            name: name, schema: schema, url: url, inMemory: isStoredInMemoryOnly, allowsSave: allowsSave,
            group: groupContainer, cloud: cloudKitDatabase)
    }

    /// Creates the configuration of a store in a file.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.init(
            name: name, schema: schema, url: url, inMemory: url.path == "/dev/null", allowsSave: allowsSave,
            group: .automatic, cloud: cloudKitDatabase)
    }

    /// Creates the configuration of a store at the default location, or in memory.
    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// Creates the configuration of a store for classes.
    public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    private init(
        name: String?, schema: Schema?, url: URL, inMemory: Bool, allowsSave: Bool, group: GroupContainer,
        cloud: CloudKitDatabase
    ) {
        self.name = name ?? "default"
        isNamed = name != nil
        self.schema = schema
        self.url = url
        isStoredInMemoryOnly = inMemory
        self.allowsSave = allowsSave
        groupContainer = group
        cloudKitDatabase = cloud
    }

    /// The name and file.
    public var debugDescription: String { "ModelConfiguration \(name): \(url.path)" }
}

/// The folders of stores.
enum ConfigurationFolder {
    /// Returns the folder for the stores of a group, or of the app.
    static func url(of group: String?) -> URL {
        let manager = FileManager.default
        let support =
            manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? manager.temporaryDirectory
        guard let group else { return support }
        let groups = ProcessInfo.processInfo.environment["SWIFTDATA_GROUP_CONTAINERS"].map(URL.init(fileURLWithPath:))
        return (groups ?? support).appendingPathComponent(group).appendingPathComponent("Library/Application Support")
    }
}
