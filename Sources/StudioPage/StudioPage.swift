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
    public static var files: [File] {
        [
            File(path: "index.html", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
            File(path: "studio.css", type: "text/css; charset=utf-8", bytes: PackageResources.studio_css),
            File(path: "studio.js", type: "text/javascript; charset=utf-8", bytes: PackageResources.studio_js),
        ]
    }
}
