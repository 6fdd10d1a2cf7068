internal import CompiledModel
internal import Diagnostics
internal import Foundation

/// Writes an XML store in the layout of Apple's framework: four spaces per level, no empty-element tags.
struct XMLStoreWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func add(_ text: String) { bytes += text.utf8 }

    mutating func write(_ contents: StoredContents) {
        let metadata = PropertyListValue(foundation: contents.metadata) ?? .dictionary([])
        add(
            """
            <?xml version="1.0" standalone="\(contents.isStandalone ? "yes" : "no")"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>\(XMLStoreFormat.version)</version>
                    <UUID>\(Self.markup(contents.uuid))</UUID>
                    <nextObjectID>\(contents.lastNumber)</nextObjectID>
                    <metadata>
                        <plist version="1.0">

            """)
        write(metadata, indentation: 16, depth: 0)
        add(
            """
                        </plist>
                    </metadata>
                </databaseInfo>

            """)
        for object in contents.objects { write(object) }
        add("</database>")
    }

    // MARK: Objects

    private mutating func write(_ object: StoredObject) {
        add("    <object type=\"\(Self.markup(object.entity))\" id=\"z\(object.number)\">\n")
        for attribute in object.attributes {
            let (type, text) = XMLStoreValue.text(attribute.value)
            add("        <attribute name=\"\(Self.markup(attribute.name))\" type=\"\(type)\">\(text)</attribute>\n")
        }
        for relationship in object.relationships {
            add(
                "        <relationship name=\"\(Self.markup(relationship.name))\" type=\"\(Self.markup(relationship.counts))\" "
                    + "destination=\"\(Self.markup(relationship.destination))\"")
            if !relationship.numbers.isEmpty {
                add(" idrefs=\"" + relationship.numbers.map { "z\($0)" }.joined(separator: " ") + "\"")
            }
            add("></relationship>\n")
        }
        add("    </object>\n")
    }

    /// Returns text outside of values, with XML's own escapes.
    private static func markup(_ text: String) -> String {
        XMLText.escaped(text) { scalar in
            // A plain CR would be read as LF.
            if scalar == "\r" { return "&#13;" }
            return XMLStoreValue.isForbidden(scalar) ? "" : nil
        }
    }

    // MARK: Metadata

    private mutating func write(_ value: PropertyListValue, indentation: Int, depth: Int) {
        let margin = String(repeating: " ", count: indentation)
        func element(_ name: String, _ text: String) -> String { "\(margin)<\(name)>\(text)</\(name)>\n" }
        switch value {
        case .boolean(let flag): add("\(margin)<\(flag ? "true" : "false")/>\n")
        case .integer(let number): add(element("integer", "\(number)"))
        case .unsigned(let number): add(element("integer", "\(number)"))
        case .uid(let number): add(element("integer", "\(number)"))
        case .real(let number): add(element("real", "\(number)"))
        case .float(let number): add(element("real", "\(number)"))
        case .string(let text): add(element("string", Self.markup(text)))
        case .date(let seconds): add(element("date", Self.date(seconds)))
        case .data(let bytes): add(Self.data(bytes, margin: margin, depth: depth))
        case .array(let values), .set(let values):
            add("\(margin)<array>\n")
            for value in values { write(value, indentation: indentation + 4, depth: depth + 1) }
            add("\(margin)</array>\n")
        case .dictionary(let entries):
            add("\(margin)<dict>\n")
            for entry in entries {
                add("\(margin)    <key>\(Self.markup(entry.key))</key>\n")
                write(entry.value, indentation: indentation + 4, depth: depth + 1)
            }
            add("\(margin)</dict>\n")
        }
    }

    private static func date(_ seconds: Double) -> String {
        Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
    }

    /// Returns Base64 text as in property lists: a tab for each level, and lines of 76 columns.
    private static func data(_ bytes: [UInt8], margin: String, depth: Int) -> String {
        let tabs = String(repeating: "\t", count: depth)
        let width = max(76 - 8 * depth, 4)
        var rest = Data(bytes).base64EncodedString()[...]
        var lines = ""
        while !rest.isEmpty {
            lines += "\(tabs)\(rest.prefix(width))\n"
            rest = rest.dropFirst(width)
        }
        return "\(margin)<data>\n\(lines)\(tabs)</data>\n"
    }
}
