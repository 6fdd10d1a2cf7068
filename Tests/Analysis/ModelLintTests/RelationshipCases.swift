import Diagnostics

/// Cases for the rules about relationships.
enum RelationshipCases {
    static let all = [
        RuleCase(
            rule: .inverseMismatch,
            finding: """
                <entity name="Author"><relationship name="books" toMany="YES" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book">
                  <relationship name="author" maxCount="1" destinationEntity="Author" inverseName="books"/>
                  <relationship name="editor" maxCount="1" destinationEntity="Author" ‹inverseName="books"›>⟦⟧</relationship>
                </entity>
                """, message: "“Book.editor” has the inverse “Author.books”, whose inverse is “Book.author”",
            clean: """
                <entity name="Author"><relationship name="books" toMany="YES" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book"><relationship name="author" maxCount="1" destinationEntity="Author" inverseName="books"/></entity>
                <entity name="Novel" parentEntity="Book"/>
                """),
        // The inverse's destination is an ancestor, so it cannot name a relationship that only the subentity has: no
        // fix.
        RuleCase(
            rule: .inverseMismatch,
            finding: """
                <entity name="Item"/><entity name="Book" parentEntity="Item">
                <relationship name="owner" maxCount="1" destinationEntity="Owner" ‹inverseName="items"›/>⟦⟧</entity>
                <entity name="Owner"><relationship name="items" toMany="YES" destinationEntity="Item"/></entity>
                """, message: "“Book.owner” has the inverse “Owner.items”, whose inverse is not set",
            clean: "<entity name=\"Item\"/>"),
        RuleCase(
            rule: .inverseMismatch,
            finding: """
                <entity name="Author"/>
                <entity name="Book"><relationship name="author" destinationEntity="Author" ‹inverseName="books"›/>⟦⟧</entity>
                """, message: "“Author.books” of “Book.author” does not exist",
            // A relationship that is its own inverse, and one inherited by subentities.
            clean: """
                <entity name="Person"><relationship name="friends" toMany="YES" destinationEntity="Person" inverseName="friends"/>
                <relationship name="books" toMany="YES" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Author" parentEntity="Person"/>
                <entity name="Book"><relationship name="author" destinationEntity="Person" inverseName="books"/></entity>
                """),
        RuleCase(
            rule: .inverseMismatch,
            finding: """
                <entity name="Author"><relationship name="books" toMany="YES" destinationEntity="Book" ‹inverseName="author"›>⟦⟧</relationship></entity>
                <entity name="Book"><relationship name="author" destinationEntity="Author"/></entity>
                """, message: "“Author.books” has the inverse “Book.author”, whose inverse is not set",
            clean: """
                <entity name="Author"/><entity name="Book"><relationship name="author" destinationEntity="Author"/></entity>
                """,
            fixed: """
                <entity name="Author"><relationship name="books" toMany="YES" destinationEntity="Book" inverseName="author"></relationship></entity>
                <entity name="Book"><relationship name="author" destinationEntity="Author" inverseName="books" inverseEntity="Author"/></entity>
                """),
        RuleCase(
            rule: .inverseDestinationMismatch,
            finding: """
                <entity name="Author"/><entity name="Editor"/>
                <entity name="Book"><relationship name="author" destinationEntity="Author" inverseName="books" ‹inverseEntity="Editor"›/>⟦⟧</entity>
                """, message: "declared in “Editor”, but the destination is “Author”",
            clean: """
                <entity name="Author" parentEntity="Person"/><entity name="Person"/>
                <entity name="Book"><relationship name="author" destinationEntity="Author" inverseName="books" inverseEntity="Person"/>⟦⟧</entity>
                """),
        RuleCase(
            rule: .cascadeCycle,
            finding: """
                <entity name="Author"><relationship name="books" toMany="YES" ‹deletionRule="Cascade"› destinationEntity="Book" inverseName="author"/>⟦⟧</entity>
                <entity name="Book"><relationship name="author" maxCount="1" deletionRule="Cascade" destinationEntity="Author" inverseName="books"/></entity>
                """, message: "“Author.books” and its inverse “Book.author” both cascade",
            clean: """
                <entity name="Author"><relationship name="books" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book">⟦⟧<relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books"/></entity>
                <entity name="Car"><relationship name="engine" maxCount="1" deletionRule="Cascade" destinationEntity="Engine" inverseName="car"/></entity>
                <entity name="Engine"><relationship name="car" maxCount="1" deletionRule="Cascade" destinationEntity="Car" inverseName="engine"/></entity>
                """),
        RuleCase(
            rule: .cascadeToManyToMany,
            finding: """
                <entity name="Playlist"><relationship name="songs" toMany="YES" ‹deletionRule="Cascade"› destinationEntity="Song" inverseName="playlists"/>⟦⟧</entity>
                <entity name="Song"><relationship name="playlists" toMany="YES" deletionRule="Nullify" destinationEntity="Playlist" inverseName="songs"/></entity>
                """, message: "“Playlist.songs” cascades to objects that others share",
            clean: """
                <entity name="Playlist"><relationship name="songs" toMany="YES" deletionRule="Cascade" destinationEntity="Song" inverseName="playlist"/></entity>
                <entity name="Song">⟦⟧<relationship name="playlist" maxCount="1" deletionRule="Nullify" destinationEntity="Playlist" inverseName="songs"/></entity>
                """,
            fixed: """
                <entity name="Playlist"><relationship name="songs" toMany="YES" deletionRule="Nullify" destinationEntity="Song" inverseName="playlists"/>⟦⟧</entity>
                <entity name="Song"><relationship name="playlists" toMany="YES" deletionRule="Nullify" destinationEntity="Playlist" inverseName="songs"/></entity>
                """),
        RuleCase(
            rule: .denyBlocksCascade,
            finding: """
                <entity name="Author"><relationship name="books" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book"><relationship name="author" maxCount="1" ‹deletionRule="Deny"› destinationEntity="Author" inverseName="books"/>⟦⟧</entity>
                """, message: "“Book.author” denies the deletion that “Author.books” cascades",
            clean: """
                <entity name="Author"><relationship name="books" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book"><relationship name="author" maxCount="1" deletionRule="Deny" destinationEntity="Author" inverseName="books"/>⟦⟧</entity>
                """,
            fixed: """
                <entity name="Author"><relationship name="books" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author"/></entity>
                <entity name="Book"><relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books"/>⟦⟧</entity>
                """),
        RuleCase(
            rule: .orderedToMany,
            finding: """
                <entity name="A"><relationship name="b" toMany="YES" ‹ordered="YES"› destinationEntity="A"/>⟦⟧</entity>
                """, message: "“A.b” is ordered",
            // Xcode keeps the flag on relationships that were once to-many.
            clean: """
                <entity name="A"><relationship name="b" maxCount="1" ordered="YES" destinationEntity="A"/>⟦⟧</entity>
                """),
        RuleCase(
            rule: .minCountGreaterThanMax,
            finding: """
                <entity name="A"><relationship name="b" toMany="YES" ‹minCount="3"› maxCount="2" destinationEntity="A"/>⟦⟧</entity>
                """, message: "requires at least 3 objects but allows at most 2",
            clean: """
                <entity name="A"><relationship name="b" toMany="YES" minCount="3" maxCount="0" destinationEntity="A"/>⟦⟧</entity>
                """),
        RuleCase(
            rule: .crossConfigurationRelationship,
            finding: """
                <entity name="A">⟦⟧<relationship name="b" ‹destinationEntity="B"›/></entity>
                <entity name="B"/>
                <configuration name="Cloud"><memberEntity name="A"/></configuration>
                <configuration name="Local"><memberEntity name="B"/></configuration>
                """, message: "leads from the configuration “Cloud” to “Local”",
            clean: """
                <entity name="A">⟦⟧<relationship name="b" destinationEntity="B"/></entity>
                <entity name="B"/>
                <configuration name="Cloud"><memberEntity name="A"/><memberEntity name="B"/></configuration>
                <configuration name="Local"><memberEntity name="B"/></configuration>
                """),
    ]
}
