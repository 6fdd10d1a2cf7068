import Foundation
import MappingModel

/// A handwritten `xcmapping.xml`.
struct StoreXML {
    private var objects = ""

    /// Adds an object. An attribute is given as `name:type` with its value, a relationship as `name>TYPE` with
    /// identifiers.
    mutating func add(_ type: String, _ id: String, _ values: KeyValuePairs<String, String>) {
        objects += "    <object type=\"\(type)\" id=\"\(id)\">\n"
        for (key, value) in values {
            if let arrow = key.firstIndex(of: ">") {
                let isToOne = ["entitymapping", "mappingmodel"].contains(String(key[..<arrow]))
                objects += "        <relationship name=\"\(key[..<arrow])\" type=\"\(isToOne ? "1/1" : "0/0")\" "
                objects += "destination=\"\(key[key.index(after: arrow)...])\" idrefs=\"\(value)\"></relationship>\n"
            } else {
                let parts = key.split(separator: ":")
                objects += "        <attribute name=\"\(parts[0])\" type=\"\(parts[1])\">\(value)</attribute>\n"
            }
        }
        objects += "    </object>\n"
    }

    var text: String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <nextObjectID>110</nextObjectID>
            </databaseInfo>
        \(objects)</database>
        """
    }

    func document() throws -> MappingDocument {
        try MappingDocument(bytes: Array(text.utf8), path: "M.xcmappingmodel/xcmapping.xml", name: "M")
    }

    static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]) + "\n"
    }

    /// Returns a mapping model with one entity mapping of one attribute and one relationship.
    static func simple(_ change: (inout StoreXML) -> Void = { _ in }) -> StoreXML {
        var store = StoreXML()
        store.add(
            "XDDEVMAPPINGMODEL", "z102",
            [
                "sourcemodelpath:string": "App/Library.xcdatamodeld/Library.xcdatamodel",
                "destinationmodelpath:string": "App/Library.xcdatamodeld/Library 2.xcdatamodel",
                "entitymappings>XDDEVENTITYMAPPING": "z103",
            ])
        store.add(
            "XDDEVENTITYMAPPING", "z103",
            [
                "sourcename:string": "Book", "destinationname:string": "Book", "mappingtypename:string": "Undefined",
                "mappingnumber:int16": "1", "autogenerateexpression:bool": "1",
                "sourcefilterpredicatestring:string": "pages \\u3c00 10000",
                "migrationpolicyclassname:string": "", "mappingmodel>XDDEVMAPPINGMODEL": "z102",
                "attributemappings>XDDEVATTRIBUTEMAPPING": "z104",
                "relationshipmappings>XDDEVRELATIONSHIPMAPPING": "z105",
            ])
        store.add(
            "XDDEVATTRIBUTEMAPPING", "z104",
            [
                "name:string": "title", "valueexpressiondata:binary": base64(HandArchive.sourceKeyPath("name")),
                "entitymapping>XDDEVENTITYMAPPING": "z103",
            ])
        store.add(
            "XDDEVRELATIONSHIPMAPPING", "z105",
            [
                "name:string": "author", "autogenerateexpression:bool": "1",
                "sourcekeypath:string": "$source.author", "sourcemappingname:string": "",
                "entitymapping>XDDEVENTITYMAPPING": "z103",
            ])
        change(&store)
        return store
    }
}
