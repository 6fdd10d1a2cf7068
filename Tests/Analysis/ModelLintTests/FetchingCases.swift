import Diagnostics
import ModelLint

/// Cases for the rules about fetch requests, fetched properties and derivations.
enum FetchingCases {
    private static let entities = """
        <entity name="Author"><attribute name="name" attributeType="String"/>
        <relationship name="books" toMany="YES" destinationEntity="Book"/></entity>
        <entity name="Book"><attribute name="title" attributeType="String"/>
        <relationship name="author" maxCount="1" destinationEntity="Author"/></entity>
        <entity name="Novel" parentEntity="Book"><attribute name="genre" attributeType="String"/></entity>
        """

    private static func request(_ predicate: String) -> String {
        entities + "<fetchRequest name=\"f\" entity=\"Book\" \(predicate)/>"
    }

    private static func derived(_ expression: String) -> String {
        "<entity name=\"A\"><attribute name=\"t\" attributeType=\"String\"/>"
            + "<attribute name=\"d\" attributeType=\"String\" derived=\"YES\" \(expression)>⟦⟧</attribute></entity>"
    }

    static let all = [
        RuleCase(
            rule: .invalidPredicate, finding: request("‹predicateString=\"title ==\"›"),
            message: "the predicate of the fetch request “f” cannot be read",
            clean: request("predicateString=\"title == 'x'\"")),
        RuleCase(
            rule: .unknownFetchEntity,
            finding: "<entity name=\"A\"/><fetchRequest name=\"f\" ‹entity=\"B\"›/>"
                + "<configuration name=\"c\"><memberEntity ‹name=\"C\"›/></configuration>",
            message: "names the entity “B”, which is not in the model",
            clean: "<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/>"),
        RuleCase(
            rule: .unknownKeyPath, finding: request("‹predicateString=\"name == 'x'\"›"),
            message: "refers to “name”, which “Book” does not have",
            clean: request(
                "predicateString=\"author.name == 'x' AND genre == 1 AND self.title == $T AND objectID == $I\"")),
        RuleCase(
            rule: .unknownKeyPath, finding: request("‹predicateString=\"author.title == 'x'\"›"),
            message: "refers to “title”, which “Author” does not have (in “author.title”)",
            clean: request("predicateString=\"author.books.@count == 1 AND ANY author.books.title == 'x'\"")),
        RuleCase(
            rule: .unknownKeyPath,
            finding: request("‹predicateString=\"SUBQUERY(author.books, $b, $b.name == 'x').@count == 1\"›"),
            message: "refers to “name”, which “Book” does not have",
            clean: request("predicateString=\"SUBQUERY(author.books, $b, $b.title == 'x').@count == 1\"")),
        RuleCase(
            rule: .unknownDerivationKeyPath, finding: derived("‹derivationExpression=\"canonical:(u)\"›"),
            message: "the derivation of “A.d” refers to “u”", clean: derived("derivationExpression=\"canonical:(t)\"")),
    ]
}
