import ModelSchema
import Testing

@testable import CodeGeneration

/// The files written by Xcode (Documentation/Formats/XcodeObjectiveC.md, 2, 3 and 5).
@Suite struct ObjectiveCCodeTests {
    private static func code(_ style: ObjectiveCStyle) -> ObjectiveCCode {
        var book = Entity(name: "Book")
        book.className = ClassName("Book")
        var pages = Attribute(name: "pages", type: .integer32)
        pages.usesScalarType = true
        book.attributes = [pages, Attribute(name: "title", type: .string)]
        var authors = Relationship(name: "authors", destinationName: "Author")
        authors.isToMany = true
        book.relationships = [authors, Relationship(name: "shelf", destinationName: "Shelf")]
        return ObjectiveCCode(
            entity: book, classNames: ["Book": "Book", "Author": "Author", "Shelf": "Shelf"], style: style)
    }

    @Test func propertiesMatchXcode13() {
        let files = Self.code(.xcode13).propertyFiles
        #expect(files.map(\.name) == ["Book+CoreDataProperties.h", "Book+CoreDataProperties.m"])
        #expect(
            files[0].text == """
                #import "Book+CoreDataClass.h"


                NS_ASSUME_NONNULL_BEGIN

                @interface Book (CoreDataProperties)

                + (NSFetchRequest<Book *> *)fetchRequest NS_SWIFT_NAME(fetchRequest());

                @property (nonatomic) int32_t pages;
                @property (nullable, nonatomic, copy) NSString *title;
                @property (nullable, nonatomic, retain) NSSet<Author *> *authors;
                @property (nullable, nonatomic, retain) Shelf *shelf;

                @end

                @interface Book (CoreDataGeneratedAccessors)

                - (void)addAuthorsObject:(Author *)value;
                - (void)removeAuthorsObject:(Author *)value;
                - (void)addAuthors:(NSSet<Author *> *)values;
                - (void)removeAuthors:(NSSet<Author *> *)values;

                @end

                NS_ASSUME_NONNULL_END

                """)
        #expect(
            files[1].text == """
                #import "Book+CoreDataProperties.h"

                @implementation Book (CoreDataProperties)

                + (NSFetchRequest<Book *> *)fetchRequest {
                \treturn [NSFetchRequest fetchRequestWithEntityName:@"Book"];
                }

                @dynamic pages;
                @dynamic title;
                @dynamic authors;
                @dynamic shelf;

                @end

                """)
    }

    @Test func classesMatchEachStyle() {
        let own = "#import \"Book+CoreDataClass.h\"\n"
        let end = "@implementation Book\n\n@end\n"
        let author = "#import \"Author+CoreDataClass.h\"\n"
        let shelf = "#import \"Shelf+CoreDataClass.h\"\n"
        #expect(Self.code(.xcode13).classFiles[1].text == "\(own)\n\(end)")
        #expect(Self.code(.xcode8).classFiles[1].text == "\(own)\(author)\(shelf)\(end)")
        #expect(Self.code(.xcode8_3).classFiles[1].text == "\(own)\(author)\n\(shelf)\n\(end)")
        #expect(
            Self.code(.xcode13).classFiles[0].text == """
                #import <Foundation/Foundation.h>
                #import <CoreData/CoreData.h>

                @class Author, Shelf;

                NS_ASSUME_NONNULL_BEGIN

                @interface Book : NSManagedObject

                @end

                NS_ASSUME_NONNULL_END

                #import "Book+CoreDataProperties.h"

                """)
        #expect(
            Self.code(.xcode9).propertyFiles[1].text.contains("[[NSFetchRequest alloc] initWithEntityName:@\"Book\"]"))
        #expect(!Self.code(.xcode9_3).propertyFiles[0].text.contains("NS_SWIFT_NAME"))
        #expect(Self.code(.xcode7).classFiles.map(\.name) == ["Book.h", "Book.m"])
    }

    @Test func namesThatDoNotCompileAreReported() {
        var entity = Entity(name: "Book")
        var custom = Attribute(name: "info", type: .transformable)
        custom.customClassName = "[String: Any]"
        entity.attributes = [Attribute(name: "double", type: .double), custom, Attribute(name: "id", type: .uuid)]
        let findings = ObjectiveCNames.findings(entity)
        #expect(findings.map(\.rule) == [.keywordName, .invalidType])
        #expect(findings.allSatisfy { $0.severity == .warning })
    }
}
