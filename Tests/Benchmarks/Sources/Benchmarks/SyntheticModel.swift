/// Models of any size, with a mix of properties as in real models.
enum SyntheticModel {
    private static let attributes = [
        "attributeType=\"String\"",
        "attributeType=\"Integer 64\" defaultValueString=\"0\" usesScalarValueType=\"YES\"",
        "attributeType=\"Boolean\" usesScalarValueType=\"YES\"",
        "attributeType=\"Date\" usesScalarValueType=\"NO\"",
        "attributeType=\"Double\" defaultValueString=\"0.0\" usesScalarValueType=\"YES\"",
        "attributeType=\"Binary\"",
        "attributeType=\"UUID\" usesScalarValueType=\"NO\"",
    ]

    /// Returns the text of a `contents` file. Entities with an even number have nine properties, the others eight; two
    /// of them are relationships.
    static func text(entities count: Int) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
            systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
            userDefinedModelVersionIdentifier="">

            """
        for index in 0..<count {
            let next = "Entity\((index + 1) % count)"
            let previous = "Entity\((index + count - 1) % count)"
            text += "    <entity name=\"Entity\(index)\" representedClassName=\"Entity\(index)\" syncable=\"YES\" "
            text += "codeGenerationType=\"class\">\n"
            for (number, attribute) in attributes.prefix(index.isMultiple(of: 2) ? 7 : 6).enumerated() {
                text += "        <attribute name=\"attribute\(number)\" optional=\"YES\" \(attribute)/>\n"
            }
            text += """
                        <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" \
                destinationEntity="\(next)" inverseName="previous" inverseEntity="\(next)"/>
                        <relationship name="previous" optional="YES" toMany="YES" deletionRule="Nullify" \
                destinationEntity="\(previous)" inverseName="next" inverseEntity="\(previous)"/>
                    </entity>

                """
        }
        return text + "</model>"
    }
}
