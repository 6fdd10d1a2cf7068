import Testing

@testable import ModelcDriver

/// The entries of `exclude:` for the files of a target.
@Suite struct ExcludeListTests {
    private func group(_ sources: [String], models: [String] = [], others: [String] = []) -> SourceGroup {
        SourceGroup(name: "A", isTarget: true, folder: "A", sources: sources, models: models, others: others)
    }

    @Test func aFolderOfModelsAndTheirClassesIsOneEntry() {
        let group = group(
            ["Model/Book.swift", "Model/Genre.swift", "Store.swift"], models: ["Model/Books.xcdatamodeld"])
        #expect(
            ExcludeList.entries(for: ["Model/Book.swift", "Model/Books.xcdatamodeld"], in: group) == ["Model"])
    }

    @Test func theOutermostFolderIsTheEntry() {
        let sources = (1...5).map { "Model/Classes/\($0).swift" }
        let group = group(sources + ["Other.swift"], models: ["Model/Books.xcdatamodeld"])
        #expect(ExcludeList.entries(for: Set(sources + group.models), in: group) == ["Model"])
    }

    @Test func filesOfOtherKindsKeepTheirFolder() {
        let group = group(["Model/Book.swift"], models: ["Model/Books.xcdatamodeld"], others: ["Model/seed.json"])
        #expect(
            ExcludeList.entries(for: ["Model/Book.swift", "Model/Books.xcdatamodeld"], in: group)
                == ["Model/Book.swift", "Model/Books.xcdatamodeld"])
    }

    @Test func aFolderWithoutModelIsAnEntryOnlyIfAllOfItsFilesAre() {
        let sources = (1...5).map { "Classes/\($0).swift" }
        #expect(ExcludeList.entries(for: Set(sources), in: group(sources)) == ["Classes"])
        let entries = ExcludeList.entries(for: Set(sources.dropLast()), in: group(sources))
        #expect(entries == sources.dropLast())
    }

    @Test func theTargetsOwnFolderIsNeverAnEntry() {
        let group = group(["A.swift", "B.swift"], models: ["M.xcdatamodeld"])
        #expect(
            ExcludeList.entries(for: ["A.swift", "B.swift", "M.xcdatamodeld"], in: group)
                == ["A.swift", "B.swift", "M.xcdatamodeld"])
    }

    @Test func entriesCoverFilesAndFolders() {
        #expect(ExcludeList.covers(["Model"], "Model/Book.swift"))
        #expect(ExcludeList.covers(["./Model/"], "Model/Book.swift"))
        #expect(ExcludeList.covers(["Book.swift"], "Book.swift"))
        #expect(!ExcludeList.covers(["Mod"], "Model/Book.swift"))
        #expect(!ExcludeList.covers(["Model/Book.swift"], "Model"))
    }

    @Test func theArgumentCanBePasted() {
        #expect(
            ExcludeList.argument(["a b", "c\"d"], indentation: "")
                == "exclude: [\n    \"a b\",\n    \"c\\\"d\",\n],\n")
    }

    @Test func aDotCoversTheWholeTarget() {
        for entry in [".", "./", "A/..", ""] { #expect(ExcludeList.covers([entry], "A/B.swift"), "\(entry)") }
        #expect(ExcludeList.covers(["A/./"], "A/B.swift") && !ExcludeList.covers(["A"], "AB.swift"))
    }
}
