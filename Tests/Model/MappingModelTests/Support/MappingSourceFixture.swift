import CompiledMapping
import MappingModel

/// A mutable copy of the mapping model that Xcode creates for the two versions of `Library`.
struct MappingSourceFixture {
    var author: MappingSource.EntityMapping
    var book: MappingSource.EntityMapping

    init() {
        author = MappingSource.EntityMapping(number: 1, sourceName: "Author", destinationName: "Author")
        author.attributeMappings = [MappingSource.PropertyMapping(name: "name")]
        author.relationshipMappings = [MappingSource.PropertyMapping(name: "books")]
        book = MappingSource.EntityMapping(number: 2, sourceName: "Book", destinationName: "Book")
        book.attributeMappings = ["title", "pages", "isbn"].map { MappingSource.PropertyMapping(name: $0) }
        book.relationshipMappings = [MappingSource.PropertyMapping(name: "author")]
    }

    var source: MappingSource {
        var source = MappingSource(name: "LibraryToLibrary2")
        source.entityMappings = [author, book]
        return source
    }

    /// Returns the mapping model compiled with the two versions.
    func compiled() -> CompiledMapping {
        MappingCompiler.compile(source, source: Library.first, destination: Library.second).mapping
    }
}
