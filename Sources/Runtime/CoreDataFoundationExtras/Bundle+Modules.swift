public import Foundation

extension Bundle {
    /// Creates the bundle with the resources of a class's module, which `Bundle(for:)` finds on Apple's platforms only:
    /// on Linux it is the main bundle for every class.
    ///
    /// ```swift
    /// let model = NSManagedObjectModel.mergedModel(from: [Bundle(forModuleOf: Book.self)])
    /// ```
    ///
    /// SwiftPM puts the resources of each target in a folder beside the program. A module without resources has the
    /// main bundle.
    ///
    /// - Parameter aClass: A class of the module.
    public convenience init(forModuleOf aClass: AnyClass) {
        let module = String(reflecting: aClass).prefix { $0 != "." }
        guard let path = Self.resources(ofModule: String(module), beside: Bundle.main.bundleURL)?.path,
            Bundle(path: path) != nil
        else {
            self.init(for: aClass)
            return
        }
        // A nonfailable initializer can only delegate to a failable one by force; the same call has just succeeded.
        // swift-format-ignore: NeverForceUnwrap
        self.init(path: path)!
    }

    /// Returns the folder `Package_Target.resources`, or `.bundle`, of the target that is compiled into a module.
    package static func resources(ofModule module: String, beside folder: URL) -> URL? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let found = names.sorted().first { name in
            guard let dot = name.lastIndex(of: "."), ["resources", "bundle"].contains(name[dot...].dropFirst()) else {
                return false
            }
            let stem = String(name[..<dot].map { $0.isASCII && !($0.isLetter || $0.isNumber) ? "_" : $0 })
            return stem.hasSuffix("_\(module)")
        }
        return found.map { folder.appendingPathComponent($0) }
    }

    /// The bundle's identifier, or the name of the process: programs on Linux have no identifier.
    public var bundleIdentifierOrProcessName: String {
        bundleIdentifier ?? ProcessInfo.processInfo.processName
    }

    /// Returns the URLs of the resources with an extension, as on Apple's platforms; Foundation on Linux returns
    /// `[NSURL]`.
    ///
    /// - Parameters:
    ///   - ext: The extension.
    ///   - subpath: The folder in the bundle; `nil` for the top level.
    public func urls(forResourcesWithExtension ext: String, subdirectory subpath: String?) -> [URL]? {
        let found: [NSURL]? = urls(forResourcesWithExtension: Optional(ext), subdirectory: subpath)
        return found?.map { $0 as URL }
    }
}
