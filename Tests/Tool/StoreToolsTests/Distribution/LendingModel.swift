/// A model of libraries that lend books, which is distributed by `Book.library` and `Loan.book`.
enum LendingModel {
    /// The arguments that distribute it.
    static let arguments = ["--distribute", "Book.library", "--distribute", "Loan.book"]

    static let entities = """
        <entity name="Library">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
        destinationEntity="Book" inverseName="library" inverseEntity="Book"/>
        <relationship name="people" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Person" \
        inverseName="library" inverseEntity="Person"/>
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Tag" \
        inverseName="library" inverseEntity="Tag"/>
        <relationship name="director" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Person" inverseName="directs" inverseEntity="Person"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
        </entity>
        <entity name="Person">
        <attribute name="name" attributeType="String"/>
        <relationship name="library" maxCount="1" deletionRule="Nullify" destinationEntity="Library" \
        inverseName="people" inverseEntity="Library"/>
        <relationship name="directs" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Library" inverseName="director" inverseEntity="Library"/>
        <relationship name="loans" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Loan" \
        inverseName="person" inverseEntity="Loan"/>
        <relationship name="favorites" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"/>
        </entity>
        <entity name="Book">
        <attribute name="isbn" attributeType="String"/>
        <attribute name="added" optional="YES" attributeType="Date"/>
        <relationship name="library" maxCount="1" deletionRule="Nullify" destinationEntity="Library" \
        inverseName="books" inverseEntity="Library"/>
        <relationship name="sequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="prequel" inverseEntity="Book"/>
        <relationship name="prequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="sequel" inverseEntity="Book"/>
        <relationship name="genre" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Genre" \
        inverseName="books" inverseEntity="Genre"/>
        <relationship name="subjects" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Subject" inverseName="books" inverseEntity="Subject"/>
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="books" inverseEntity="Tag"/>
        <relationship name="loans" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Loan" \
        inverseName="book" inverseEntity="Loan"/>
        <fetchIndex name="byAdded"><fetchIndexElement property="added" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint>\
        </uniquenessConstraints>
        </entity>
        <entity name="Atlas" parentEntity="Book"><attribute name="scale" optional="YES" attributeType="Integer 32"/>
        </entity>
        <entity name="Loan">
        <attribute name="due" optional="YES" attributeType="Date"/>
        <relationship name="book" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="loans" inverseEntity="Book"/>
        <relationship name="person" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="loans" inverseEntity="Person"/>
        </entity>
        <entity name="Tag">
        <attribute name="name" attributeType="String"/>
        <relationship name="library" maxCount="1" deletionRule="Nullify" destinationEntity="Library" \
        inverseName="tags" inverseEntity="Library"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="tags" inverseEntity="Book"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="library"/><constraint value="name"/>\
        </uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Genre">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="genre" inverseEntity="Book"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
        </entity>
        <entity name="Subject">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="subjects" inverseEntity="Book"/>
        </entity>
        """
}
