/// The page of the studio, embedded in the binary.
public enum StudioPage {
    /// A file of the page.
    public struct File: Sendable {
        /// The path in the address.
        public let path: String
        /// The media type.
        public let type: String
        /// The bytes.
        public let bytes: [UInt8]
    }

    /// The files of the page; the first is the page itself.
    public static let files: [File] = {
        [
            file("index.html", "text/html", PackageResources.index_html),
            file("studio.css", "text/css", PackageResources.studio_css),
            file("app.js", "text/javascript", PackageResources.app_js),
            file("dom.js", "text/javascript", PackageResources.dom_js),
            file("fields.js", "text/javascript", PackageResources.fields_js),
            file("inspector.js", "text/javascript", PackageResources.inspector_js),
            file("model.js", "text/javascript", PackageResources.model_js),
            file("panels.js", "text/javascript", PackageResources.panels_js),
            file("sidebar.js", "text/javascript", PackageResources.sidebar_js),
            file("studio.js", "text/javascript", PackageResources.studio_js),
            file("tables.js", "text/javascript", PackageResources.tables_js),
        ]
    }()

    private static func file(_ path: String, _ type: String, _ bytes: [UInt8]) -> File {
        File(path: path, type: type + "; charset=utf-8", bytes: bytes)
    }
}
