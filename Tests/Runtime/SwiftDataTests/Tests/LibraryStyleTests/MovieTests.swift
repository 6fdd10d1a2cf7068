// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@Model final class Movie {
    @Attribute(.unique) var id: Int
    var title: String
    var subtitle: String?
    var year: Int
    var rating: Double?
    var released: Date?
    var isWatched: Bool
    var isFavorite: Bool?
    var genreRaw: String
    var genre: Genre
    var optionalGenre: Genre?
    var stats: Stats
    var director: Director?
    @Relationship(inverse: \Actor2.movies) var cast: [Actor2] = []
    @Relationship(deleteRule: .cascade, inverse: \Review.movie) var reviews: [Review]? = []
    enum Genre: String, Codable, CaseIterable { case drama, comedy, horror }
    struct Stats: Codable, Equatable { var views = 0; var score: Double? ; var studio: String = "" }
    init(id: Int, title: String, subtitle: String? = nil, year: Int, rating: Double? = nil, released: Date? = nil, isWatched: Bool = false, genre: Genre = .drama, stats: Stats = Stats()) {
        self.id = id; self.title = title; self.subtitle = subtitle; self.year = year; self.rating = rating; self.released = released
        self.isWatched = isWatched; self.genreRaw = genre.rawValue; self.genre = genre; self.stats = stats
    }
}
@Model final class Director {
    var name: String
    var born: Date?
    var country: Country?
    @Relationship(deleteRule: .nullify, inverse: \Movie.director) var movies: [Movie] = []
    init(name: String) { self.name = name }
}
@Model final class Country { var code: String; var directors: [Director] = []; init(code: String) { self.code = code } }
@Model final class Actor2 { var name: String; var movies: [Movie] = []; init(name: String) { self.name = name } }
@Model final class Review { var stars: Int; var text: String?; var movie: Movie?; init(stars: Int, text: String? = nil) { self.stars = stars; self.text = text } }

struct MovieFilter: Sendable {
    var text = ""
    var minimumYear: Int?
    var years: ClosedRange<Int> = 0...3000
    var genres: Set<String> = []
    var onlyWatched: Bool?
    var predicate: Predicate<Movie> {
        let text = text, min = minimumYear ?? .min, lower = years.lowerBound, upper = years.upperBound
        let genres = genres, noGenres = genres.isEmpty
        let watched = onlyWatched ?? false, ignoreWatched = onlyWatched == nil
        return #Predicate<Movie> { movie in
            (text.isEmpty || movie.title.localizedStandardContains(text))
                && movie.year >= min && movie.year >= lower && movie.year <= upper
                && (noGenres || genres.contains(movie.genreRaw)) && (ignoreWatched || movie.isWatched == watched)
        }
    }
}

@Suite final class MovieTests {
    let container: ModelContainer
    let context: ModelContext
    let d0 = Date(timeIntervalSinceReferenceDate: 0)

    init() throws {
        container = try ModelContainer(for: Movie.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        let us = Country(code: "US"), fr = Country(code: "FR")
        let kubrick = Director(name: "Kubrick"), varda = Director(name: "Varda")
        context.insert(kubrick); context.insert(varda)
        kubrick.country = us; varda.country = fr
        let actors = ["Jack", "Nicole", "Tom"].map { Actor2(name: $0) }
        let movies = [
            Movie(id: 1, title: "The Shining", subtitle: "Horror", year: 1980, rating: 8.4, released: d0, isWatched: true, genre: .horror, stats: .init(views: 100, score: 9, studio: "WB")),
            Movie(id: 2, title: "Eyes Wide Shut", year: 1999, rating: 7.5, released: d0 + 100, genre: .drama, stats: .init(views: 50, score: nil, studio: "WB")),
            Movie(id: 3, title: "Cléo from 5 to 7", subtitle: "", year: 1962, isWatched: true, genre: .drama, stats: .init(views: 10, score: 1, studio: "R")),
            Movie(id: 4, title: "dr. strangelove", year: 1964, rating: 8.4, released: d0 - 100, genre: .comedy),
            Movie(id: 5, title: "Untitled", year: 2030),
        ]
        movies.forEach(context.insert)
        movies[0].director = kubrick; movies[1].director = kubrick; movies[3].director = kubrick; movies[2].director = varda
        movies[0].cast = [actors[0]]; movies[1].cast = [actors[1], actors[2]]
        movies[0].reviews = [Review(stars: 5, text: "wow"), Review(stars: 1)]
        movies[1].reviews?.append(Review(stars: 3))
        movies[0].isFavorite = true; movies[1].isFavorite = false
        movies[3].optionalGenre = .comedy
        try context.save()
    }

    func ids(_ predicate: Predicate<Movie>, _ location: SourceLocation = #_sourceLocation) throws -> [Int] {
        let other = ModelContext(container)
        let stored = try other.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.id)]))
        let evaluated = try other.fetch(FetchDescriptor<Movie>(sortBy: [SortDescriptor(\.id)])).filter { try predicate.evaluate($0) }
        #expect(stored.map(\.id) == evaluated.map(\.id), sourceLocation: location)
        let counted = try other.fetchCount(FetchDescriptor(predicate: predicate))
        #expect(counted == stored.count, sourceLocation: location)
        let pending = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.id)]))
        #expect(pending.map(\.id) == stored.map(\.id), sourceLocation: location)
        return stored.map(\.id)
    }

    @Test func stringPredicatesAgreeInTheStoreAndInMemory() throws {
        let same = ComparisonResult.orderedSame
        #expect(try ids(#Predicate { $0.title == "Untitled" }) == [5])
        #expect(try ids(#Predicate { $0.title != "Untitled" }) == [1, 2, 3, 4])
        #expect(try ids(#Predicate { $0.title.contains("Shin") }) == [1])
        #expect(try ids(#Predicate { $0.title.localizedStandardContains("cleo") }) == [3])
        #expect(try ids(#Predicate { $0.title.localizedStandardContains("DR.") }) == [4])
        #expect(try ids(#Predicate { $0.title.starts(with: "The") }) == [1])
        #expect(try ids(#Predicate { $0.title.isEmpty }) == [])
        #expect(try ids(#Predicate { $0.title > "T" }) == [1, 4, 5])
        #expect(try ids(#Predicate { $0.title.caseInsensitiveCompare("DR. Strangelove") == same }) == [4])
        #expect(try ids(#Predicate { $0.title.localizedCompare("Untitled") == same }) == [5])
        #expect(try ids(#Predicate { $0.subtitle == nil }) == [2, 4, 5])
        #expect(try ids(#Predicate { $0.subtitle != nil }) == [1, 3])
        #expect(try ids(#Predicate { $0.subtitle?.isEmpty == true }) == [3])
        #expect(try ids(#Predicate { $0.subtitle?.isEmpty ?? true }) == [2, 3, 4, 5])
        #expect(try ids(#Predicate { $0.subtitle?.contains("orr") ?? false }) == [1])
        #expect(try ids(#Predicate { ($0.subtitle ?? "none") == "none" }) == [2, 4, 5])
        #expect(try ids(#Predicate { $0.subtitle?.localizedStandardContains("HORR") == true }) == [1])
        let prefix = "Un"
        #expect(try ids(#Predicate { $0.title.starts(with: prefix) }) == [5])
    }

    @Test func numericPredicatesAgreeInTheStoreAndInMemory() throws {
        #expect(try ids(#Predicate { $0.year > 1970 && $0.year < 2000 }) == [1, 2])
        #expect(try ids(#Predicate { (1960...1970).contains($0.year) }) == [3, 4])
        #expect(try ids(#Predicate { (1960..<1964).contains($0.year) }) == [3])
        #expect(try ids(#Predicate { [1980, 1999].contains($0.year) }) == [1, 2])
        let set: Set<Int> = [1, 5]
        #expect(try ids(#Predicate { set.contains($0.id) }) == [1, 5])
        #expect(try ids(#Predicate { $0.year + 1 == 1981 }) == [1])
        #expect(try ids(#Predicate { $0.year - $0.id == 1979 }) == [1])
        #expect(try ids(#Predicate { $0.year * 2 > 4000 }) == [5])
        #expect(try ids(#Predicate { $0.rating == 8.4 }) == [1, 4])
        #expect(try ids(#Predicate { ($0.rating ?? 0) > 8 }) == [1, 4])
        #expect(try ids(#Predicate { $0.rating == nil }) == [3, 5])
        #expect(try ids(#Predicate { $0.rating.flatMap { $0 > 8 } ?? false }) == [1, 4])
        #expect(try ids(#Predicate { if let rating = $0.rating { return rating < 8 } else { return true } }) == [2, 3, 5])
        let optional: Double? = 7.5
        #expect(try ids(#Predicate { $0.rating == optional }) == [2])
        let none: Double? = nil
        #expect(try ids(#Predicate { $0.rating == none }) == [3, 5])
        #expect(try ids(#Predicate { $0.isWatched ? $0.year > 1970 : $0.year > 2000 }) == [1, 5])
    }

    @Test func booleanPredicatesAgreeInTheStoreAndInMemory() throws {
        #expect(try ids(#Predicate { $0.isWatched }) == [1, 3])
        #expect(try ids(#Predicate { !$0.isWatched }) == [2, 4, 5])
        #expect(try ids(#Predicate { $0.isWatched == false }) == [2, 4, 5])
        #expect(try ids(#Predicate { $0.isFavorite == true }) == [1])
        #expect(try ids(#Predicate { $0.isFavorite ?? true }) == [1, 3, 4, 5])
        #expect(try ids(#Predicate { $0.isFavorite != true }) == [2, 3, 4, 5])
        #expect(try ids(#Predicate { _ in true }) == [1, 2, 3, 4, 5])
        #expect(try ids(#Predicate { _ in false }) == [])
        let all = true
        #expect(try ids(#Predicate { all || $0.isWatched }) == [1, 2, 3, 4, 5])
        #expect(try ids(Predicate<Movie>.true) == [1, 2, 3, 4, 5])
        #expect(try ids(.false) == [])
    }

    @Test func datePredicatesCompareOptionalDates() throws {
        let d0 = d0, past = Date.distantPast, future = Date.distantFuture
        #expect(try ids(#Predicate { $0.released == d0 }) == [1])
        #expect(try ids(#Predicate { ($0.released ?? past) >= d0 }) == [1, 2])
        #expect(try ids(#Predicate { ($0.released ?? future) < d0 }) == [4])
        let range = d0...(d0 + 1000)
        #expect(try ids(#Predicate { $0.released.flatMap { range.contains($0) } ?? false }) == [1, 2])
        let start: Date? = d0
        #expect(try ids(#Predicate { movie in
            if let start, let released = movie.released { return released > start } else { return false }
        }) == [2])
    }

    @Test func enumerationsAreComparedByTheirRawValues() throws {
        let horror = Movie.Genre.horror, raw = Movie.Genre.drama.rawValue
        #expect(try ids(#Predicate { $0.genre == horror }) == [1])
        #expect(try ids(#Predicate { $0.genre != horror }) == [2, 3, 4, 5])
        #expect(try ids(#Predicate { $0.genre.rawValue == raw }) == [2, 3, 5])
        #expect(try ids(#Predicate { $0.genreRaw == raw }) == [2, 3, 5])
        let some: [Movie.Genre] = [.comedy, .horror]
        #expect(try ids(#Predicate { some.contains($0.genre) }) == [1, 4])
        let comedy: Movie.Genre? = .comedy
        #expect(try ids(#Predicate { $0.optionalGenre == comedy }) == [4])
        #expect(try ids(#Predicate { $0.optionalGenre == nil }) == [1, 2, 3, 5])
        #expect(try ids(#Predicate { $0.optionalGenre?.rawValue == "comedy" }) == [4])
    }

    @Test func partsOfAStructureCanBeCompared() throws {
        #expect(try ids(#Predicate { $0.stats.views > 20 }) == [1, 2])
        #expect(try ids(#Predicate { $0.stats.studio == "WB" && $0.stats.score != nil }) == [1])
        #expect(try ids(#Predicate { ($0.stats.score ?? 0) > 0.5 }) == [1, 3])
        #expect(try ids(#Predicate { $0.stats.studio.localizedStandardContains("w") }) == [1, 2])
    }

    @Test func predicatesFollowToOneRelationships() throws {
        #expect(try ids(#Predicate { $0.director?.name == "Kubrick" }) == [1, 2, 4])
        #expect(try ids(#Predicate { $0.director == nil }) == [5])
        #expect(try ids(#Predicate { $0.director != nil }) == [1, 2, 3, 4])
        #expect(try ids(#Predicate { $0.director?.country?.code == "FR" }) == [3])
        #expect(try ids(#Predicate { $0.director?.name.localizedStandardContains("kub") ?? false }) == [1, 2, 4])
        #expect(try ids(#Predicate { $0.director?.name.contains("ard") == true }) == [3])
        #expect(try ids(#Predicate { $0.director?.born == nil }) == [1, 2, 3, 4, 5])
        #expect(try ids(#Predicate { movie in if let d = movie.director { return d.name == "Varda" } else { return false } }) == [3])
        #expect(try ids(#Predicate { $0.director.flatMap { $0.name == "Varda" } ?? true }) == [3, 5])
        let kubrick = try #require(try context.fetch(FetchDescriptor<Director>(predicate: #Predicate { $0.name == "Kubrick" })).first)
        let id = kubrick.persistentModelID
        #expect(try ids(#Predicate { $0.director?.persistentModelID == id }) == [1, 2, 4])
        let optional: PersistentIdentifier? = id
        #expect(try ids(#Predicate { $0.director?.persistentModelID == optional }) == [1, 2, 4])
        #expect(try ids(#Predicate { $0.director?.id == id }) == [1, 2, 4])
        let none: PersistentIdentifier? = nil
        #expect(try ids(#Predicate { $0.director?.persistentModelID == none }) == [5])
        let directors: [PersistentIdentifier] = [id]
        #expect(try context.fetch(FetchDescriptor<Director>(predicate: #Predicate { directors.contains($0.persistentModelID) })).count == 1)
        #expect(try context.fetch(FetchDescriptor<Director>(predicate: #Predicate { directors.contains($0.id) })).count == 1)
        let movieID = 1
        #expect(try ids(#Predicate { $0.id == movieID }) == [1])
    }

    @Test func predicatesTestTheMembersOfToManyRelationships() throws {
        #expect(try ids(#Predicate { $0.cast.isEmpty }) == [3, 4, 5])
        #expect(try ids(#Predicate { !$0.cast.isEmpty }) == [1, 2])
        #expect(try ids(#Predicate { $0.cast.count == 2 }) == [2])
        #expect(try ids(#Predicate { $0.cast.contains { $0.name == "Jack" } }) == [1])
        #expect(try ids(#Predicate { movie in movie.cast.contains { $0.name.contains("o") } }) == [2])
        let wanted = ["Tom", "Jack"]
        #expect(try ids(#Predicate { $0.cast.contains { wanted.contains($0.name) } }) == [1, 2])
        #expect(try ids(#Predicate { movie in wanted.contains { name in movie.title.contains(name) } }) == [])
        #expect(try ids(#Predicate { $0.cast.allSatisfy { $0.name != "Jack" } }) == [2, 3, 4, 5])
        #expect(try ids(#Predicate { $0.cast.filter { $0.name != "Tom" }.count == 1 }) == [1, 2])
        let jack = try #require(try context.fetch(FetchDescriptor<Actor2>(predicate: #Predicate { $0.name == "Jack" })).first)
        let jackID = jack.persistentModelID
        #expect(try ids(#Predicate { $0.cast.contains { $0.persistentModelID == jackID } }) == [1])
        #expect(try ids(#Predicate { $0.reviews?.contains { $0.stars == 5 } ?? false }) == [1])
        #expect(try ids(#Predicate { $0.reviews?.isEmpty ?? true }) == [3, 4, 5])
        #expect(try ids(#Predicate { ($0.reviews?.count ?? 0) > 1 }) == [1])
        #expect(try ids(#Predicate { movie in movie.reviews.flatMap { $0.contains { $0.text != nil } } == true }) == [1])
        #expect(try ids(#Predicate { movie in movie.director?.movies.contains { $0.year == movie.year } ?? false }) == [1, 2, 3, 4])
        #expect(try ids(#Predicate { ($0.director?.movies.count ?? 0) > 1 }) == [1, 2, 4])
    }

    @Test func aPredicateMayBeComposedOfCapturedOptions() throws {
        #expect(try ids(MovieFilter().predicate) == [1, 2, 3, 4, 5])
        #expect(try ids(MovieFilter(text: "the").predicate) == [1])
        #expect(try ids(MovieFilter(minimumYear: 1970, years: 1900...2000).predicate) == [1, 2])
        #expect(try ids(MovieFilter(genres: ["drama"], onlyWatched: true).predicate) == [3])
    }

    @Test func anExpressionIsEvaluatedOnAModel() throws {
        let age = #Expression<Movie, Int> { 2000 - $0.year }
        let movie = try #require(try context.fetch(FetchDescriptor<Movie>(sortBy: [SortDescriptor(\.id)])).first)
        #expect(try age.evaluate(movie) == 20)
    }

    @Test func resultsAreSortedByEachComparator() throws {
        func sorted(_ s: SortDescriptor<Movie>...) throws -> [Int] { try context.fetch(FetchDescriptor<Movie>(sortBy: s)).map(\.id) }
        #expect(try sorted(SortDescriptor(\.year)) == [3, 4, 1, 2, 5])
        #expect(try sorted(SortDescriptor(\.title)) == [3, 4, 2, 1, 5])
        #expect(try sorted(SortDescriptor(\.title, comparator: .lexical)) == [3, 2, 1, 5, 4])
        #expect(try sorted(.init(\.title, comparator: .localizedStandard, order: .reverse)) == [5, 1, 2, 4, 3])
        #expect(try sorted(SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.id)) == [1, 4, 2, 3, 5])
        #expect(try sorted(SortDescriptor(\.rating), SortDescriptor(\.id, order: .reverse)) == [5, 3, 2, 4, 1])
        #expect(try sorted(SortDescriptor(\.director?.name), SortDescriptor(\.id)) == [5, 1, 2, 4, 3])
        #expect(try sorted(SortDescriptor(\.released)) .last == 2)
    }

    @Test func aDescriptorLimitsTheFetch() throws {
        var d = FetchDescriptor<Movie>(sortBy: [SortDescriptor(\.id)])
        d.fetchOffset = 1; d.fetchLimit = 2
        #expect(try context.fetch(d).map(\.id) == [2, 3])
        d.fetchLimit = 0
        #expect(try context.fetch(d).map(\.id) == [2, 3, 4, 5])
        d.propertiesToFetch = [\.title, \.year]
        d.relationshipKeyPathsForPrefetching = [\.director, \.cast]
        #expect(try context.fetch(d).first?.subtitle == nil)
        d.includePendingChanges = false
        context.insert(Movie(id: 9, title: "Pending", year: 1))
        #expect(try context.fetch(d).count == 4)
        d.includePendingChanges = true
        #expect(try context.fetch(d).count == 5)
        #expect(try context.fetchCount(FetchDescriptor<Movie>()) == 6)
        var batches = 0
        try context.enumerate(FetchDescriptor<Movie>(), batchSize: 2) { _ in batches += 1 }
        #expect(batches == 6)
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<Movie>()) == 5)
    }

    @Test func fetchesIncludePendingChanges() throws {
        let all = try context.fetch(FetchDescriptor<Movie>(sortBy: [SortDescriptor(\.id)]))
        all[4].year = 1950
        all[0].title = "Renamed"
        context.delete(all[1])
        let new = Movie(id: 10, title: "New", year: 1955)
        context.insert(new)
        new.director = all[2].director
        #expect(try context.fetch(FetchDescriptor<Movie>(predicate: #Predicate { $0.year < 1960 }, sortBy: [SortDescriptor(\.id)])).map(\.id) == [5, 10])
        #expect(try context.fetch(FetchDescriptor<Movie>(predicate: #Predicate { $0.title.contains("Shin") })).isEmpty)
        #expect(try context.fetch(FetchDescriptor<Movie>(predicate: #Predicate { $0.director?.name == "Varda" }, sortBy: [SortDescriptor(\.id)])).map(\.id) == [3, 10])
        #expect(try context.fetch(FetchDescriptor<Director>(predicate: #Predicate { $0.movies.count == 2 })).count == 2)
        #expect(try context.fetchCount(FetchDescriptor<Movie>()) == 5)
        #expect(try context.fetch(FetchDescriptor<Director>(predicate: #Predicate { $0.movies.contains { $0.id == 10 } })).map(\.name) == ["Varda"])
    }
}
