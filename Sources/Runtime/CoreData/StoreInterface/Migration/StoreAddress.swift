internal import Foundation

/// The location, type and options of a store.
package struct StoreAddress {
    package var url: URL
    package var type: String
    package var options: [AnyHashable: Any]?
    /// The configuration whose entities the store contains; `nil` for all.
    package var configuration: String?

    package init(url: URL, type: String, options: [AnyHashable: Any]?, configuration: String? = nil) {
        self.url = url
        self.type = type
        self.options = options
        self.configuration = configuration
    }
}
