import TestSupport
import Testing

extension StoreScratch {
    /// People whose managers are required, and departments.
    private static let peopleModel = """
        <entity name="Department" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="department" inverseEntity="Person"/>
        </entity>
        <entity name="Person" syncable="YES">
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="department" maxCount="1" deletionRule="Nullify" destinationEntity="Department" \
        inverseName="people" inverseEntity="Department"/>
            <relationship name="manager" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="reports" inverseEntity="Person"/>
            <relationship name="reports" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="manager" inverseEntity="Person"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="people" inverseEntity="Tag"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="tags" inverseEntity="Person"/>
        </entity>
        """

    /// Creates a folder with a store of people, who are their own managers.
    static func people(rows: Int = 40) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(peopleModel)
        #expect(scratch.make(rows: rows) == 0)
        try scratch.execute("UPDATE ZPERSON SET ZMANAGER = Z_PK", in: "a.sqlite")
        return scratch
    }

    /// Returns the number of rows of a table, or of those that meet a condition.
    func count(_ table: String, in name: String = "b.sqlite") throws -> Int64? {
        try SeedDatabase(url(name).path).integer("SELECT count(*) FROM \(table)")
    }
}
