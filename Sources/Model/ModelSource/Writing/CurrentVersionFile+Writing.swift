internal import Diagnostics

extension CurrentVersionFile {
    /// Returns the bytes of an `.xccurrentversion` as Xcode writes it: with tabs, Apple's document type, and a line
    /// feed at the end (Documentation/Formats/ModelSource.md, 5).
    ///
    /// - Parameters:
    ///   - name: The name of the current version without extension.
    ///   - encodingName: The encoding named by the XML declaration.
    package static func contents(naming name: String, encodingName: String = "UTF-8") -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="\(encodingName)"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>_XCCurrentVersionName</key>
            \t<string>\(XMLText.escaped(name, quotes: false)).xcdatamodel</string>
            </dict>
            </plist>

            """.utf8)
    }
}
