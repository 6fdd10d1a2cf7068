import SwiftData
import Testing

/// Random changes of a graph of models in a file, compared with a plain Swift copy after every step.
@Suite struct GraphFuzzTests {
    /// The seeds: more with `MODELC_NIGHTLY`.
    static let seeds = 0..<(ProcessInfo.processInfo.environment["MODELC_NIGHTLY"] == nil ? 12 : 300)

    @Test(arguments: seeds)
    func modelsAgreeWithAPlainCopy(seed: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let walk = try GraphWalk(seed: seed, url: folder.appendingPathComponent("graph.store"))
        for step in 0..<150 {
            let change = try walk.step()
            let found = try GraphCopy(walk.context)
            try #require(found == walk.copy, "seed \(seed), step \(step): \(change)")
        }
        try walk.context.save()
        #expect(try GraphCopy(ModelContext(walk.context.container)) == walk.copy)
    }

    /// The comparison would notice a lost change.
    @Test func aCopyDiffersAfterAChangeThatItMisses() throws {
        let walk = try GraphWalk(seed: 1, url: URL(fileURLWithPath: "/dev/null"), isInMemory: true)
        for _ in 0..<30 { _ = try walk.step() }
        walk.context.insert(FuzzLabel(-1))
        #expect(try GraphCopy(walk.context) != walk.copy)
    }
}

@Model final class FuzzFolder {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \FuzzNote.folder) var notes: [FuzzNote] = []

    init(_ number: Int) { self.number = number }
}

@Model final class FuzzNote {
    var number: Int
    var text: String?
    var folder: FuzzFolder?
    @Relationship(inverse: \FuzzLabel.notes) var labels: [FuzzLabel] = []

    init(_ number: Int) { self.number = number }
}

@Model final class FuzzLabel {
    var number: Int
    var notes: [FuzzNote] = []
    /// A relationship without an inverse.
    var favorite: FuzzFolder?

    init(_ number: Int) { self.number = number }
}

/// What the models of a context hold: the number of each model, and those of the models that it leads to.
private struct GraphCopy: Equatable {
    struct Note: Equatable {
        var text: String?
        var folder: Int?
        var labels: Set<Int> = []
    }

    var folders: Set<Int> = []
    var notes: [Int: Note] = [:]
    /// The favorites of the labels.
    var labels: [Int: Int?] = [:]

    init() {}

    /// Reads the models of a context. Both ends of each relationship must agree.
    init(_ context: ModelContext) throws {
        for note in try context.fetch(FetchDescriptor<FuzzNote>()) {
            let labels = Set(note.labels.map(\.number))
            notes[note.number] = Note(text: note.text, folder: note.folder?.number, labels: labels)
        }
        for folder in try context.fetch(FetchDescriptor<FuzzFolder>()) {
            folders.insert(folder.number)
            let members = notes.filter { $0.value.folder == folder.number }.map(\.key)
            #expect(folder.notes.map(\.number).sorted() == members.sorted())
        }
        for label in try context.fetch(FetchDescriptor<FuzzLabel>()) {
            labels.updateValue(label.favorite?.number, forKey: label.number)
            let members = notes.filter { $0.value.labels.contains(label.number) }.map(\.key)
            #expect(label.notes.map(\.number).sorted() == members.sorted())
        }
    }
}

private final class GraphWalk {
    private var state: UInt64
    private let url: URL
    private let isInMemory: Bool
    private var contexts: [ModelContext] = []
    private var lastNumber = 0
    private var saved = GraphCopy()
    private(set) var copy = GraphCopy()

    init(seed: Int, url: URL, isInMemory: Bool = false) throws {
        state = UInt64(seed) &* 7919 &+ 1
        self.url = url
        self.isInMemory = isInMemory
        try open()
    }

    /// The context that is changed. Others have no unsaved changes.
    var context: ModelContext { contexts[0] }

    private func open() throws {
        contexts = []
        let schema = Schema([FuzzFolder.self, FuzzNote.self, FuzzLabel.self])
        let configuration =
            isInMemory ? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true) : ModelConfiguration(url: url)
        let container = try ModelContainer(for: schema, configurations: [configuration])
        contexts = [ModelContext(container), ModelContext(container)]
    }

    private func random(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    private func pick(_ numbers: some Sequence<Int>) -> Int? {
        let sorted = numbers.sorted()
        return sorted.isEmpty ? nil : sorted[random(sorted.count)]
    }

    private func some(of numbers: some Sequence<Int>) -> Set<Int> {
        Set(numbers.sorted().filter { _ in random(3) == 0 })
    }

    private func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func folder(_ number: Int) throws -> FuzzFolder {
        try #require(
            try context.fetch(FetchDescriptor<FuzzFolder>(predicate: #Predicate { $0.number == number })).first)
    }

    private func note(_ number: Int) throws -> FuzzNote {
        try #require(try context.fetch(FetchDescriptor<FuzzNote>(predicate: #Predicate { $0.number == number })).first)
    }

    private func label(_ number: Int) throws -> FuzzLabel {
        try #require(try context.fetch(FetchDescriptor<FuzzLabel>(predicate: #Predicate { $0.number == number })).first)
    }

    /// Makes one change to the models and to the copy, and returns its name.
    func step() throws -> String {
        switch random(15) {
        case 11: return try save()
        case 12 where random(2) == 0: return rollBack()
        case 12: return try changeContext()
        case 13: return random(4) == 0 && !isInMemory ? try reopen() : try insertNote()
        case 14: return try undo()
        case let kind: return try change(kind)
        }
    }

    private func change(_ kind: Int) throws -> String {
        switch kind {
        case 0: insertFolder()
        case 1, 2: try insertNote()
        case 3: insertLabel()
        case 4: try setText()
        case 5: try moveNote()
        case 6: try setMembers()
        case 7: try setLabels()
        case 8: try setLabeledNotes()
        case 9: try setFavorite()
        default: try delete()
        }
    }

    /// Makes a change, undoes it, and in half of the cases makes it again.
    private func undo() throws -> String {
        let before = copy
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.processPendingChanges()
        context.undoManager = manager
        defer { context.undoManager = nil }
        manager.beginUndoGrouping()
        let name = try change(random(11))
        context.processPendingChanges()
        manager.endUndoGrouping()
        guard manager.canUndo else { return name }
        manager.undo()
        let undone = try GraphCopy(context)
        try #require(undone == before, "undo \(name)")
        if random(2) == 0 {
            manager.redo()
            return "redo \(name)"
        }
        copy = before
        return "undo \(name)"
    }

    // MARK: Insertions

    private func insertFolder() -> String {
        let number = newNumber()
        context.insert(FuzzFolder(number))
        copy.folders.insert(number)
        return "insert folder \(number)"
    }

    private func insertLabel() -> String {
        let number = newNumber()
        context.insert(FuzzLabel(number))
        copy.labels.updateValue(nil, forKey: number)
        return "insert label \(number)"
    }

    /// Inserts a note by itself, or by adding it to a folder.
    private func insertNote() throws -> String {
        let number = newNumber()
        let note = FuzzNote(number)
        copy.notes[number] = GraphCopy.Note()
        if random(2) == 0, let folder = pick(copy.folders) {
            try self.folder(folder).notes.append(note)
            copy.notes[number]?.folder = folder
        } else {
            context.insert(note)
        }
        return "insert note \(number)"
    }

    // MARK: Changes

    private func setText() throws -> String {
        guard let number = pick(copy.notes.keys) else { return "" }
        let text = random(4) == 0 ? nil : "t\(random(100))"
        try note(number).text = text
        copy.notes[number]?.text = text
        return "set text of \(number)"
    }

    private func moveNote() throws -> String {
        guard let number = pick(copy.notes.keys) else { return "" }
        let target = random(3) == 0 ? nil : pick(copy.folders)
        try note(number).folder = try target.map(folder)
        copy.notes[number]?.folder = target
        return "move note \(number)"
    }

    private func setMembers() throws -> String {
        guard let number = pick(copy.folders) else { return "" }
        let members = some(of: copy.notes.keys)
        try folder(number).notes = try members.map(note)
        for key in copy.notes.keys {
            if members.contains(key) {
                copy.notes[key]?.folder = number
            } else if copy.notes[key]?.folder == number {
                copy.notes[key]?.folder = nil
            }
        }
        return "set notes of folder \(number)"
    }

    private func setLabels() throws -> String {
        guard let number = pick(copy.notes.keys) else { return "" }
        let labels = some(of: copy.labels.keys)
        try note(number).labels = try labels.map(label)
        copy.notes[number]?.labels = labels
        return "set labels of note \(number)"
    }

    private func setLabeledNotes() throws -> String {
        guard let number = pick(copy.labels.keys) else { return "" }
        let members = some(of: copy.notes.keys)
        try label(number).notes = try members.map(note)
        for key in copy.notes.keys {
            if members.contains(key) {
                copy.notes[key]?.labels.insert(number)
            } else {
                copy.notes[key]?.labels.remove(number)
            }
        }
        return "set notes of label \(number)"
    }

    private func setFavorite() throws -> String {
        guard let number = pick(copy.labels.keys) else { return "" }
        let target = pick(copy.folders)
        try label(number).favorite = try target.map(folder)
        copy.labels.updateValue(target, forKey: number)
        return "set favorite of label \(number)"
    }

    private func delete() throws -> String {
        if random(3) == 0, let number = pick(copy.folders) {
            // A stored reference without an inverse would stay.
            for (label, favorite) in copy.labels where favorite == number {
                try self.label(label).favorite = nil
                copy.labels.updateValue(nil, forKey: label)
            }
            context.delete(try folder(number))
            copy.folders.remove(number)
            copy.notes = copy.notes.filter { $0.value.folder != number }
            return "delete folder \(number)"
        }
        if random(2) == 0, let number = pick(copy.labels.keys) {
            context.delete(try label(number))
            copy.labels[number] = nil
            for key in copy.notes.keys { copy.notes[key]?.labels.remove(number) }
            return "delete label \(number)"
        }
        guard let number = pick(copy.notes.keys) else { return "" }
        context.delete(try note(number))
        copy.notes[number] = nil
        return "delete note \(number)"
    }

    // MARK: Contexts

    private func save() throws -> String {
        try context.save()
        saved = copy
        return "save"
    }

    private func rollBack() -> String {
        context.rollback()
        copy = saved
        return "roll back"
    }

    /// Goes on with the other context, which has models of earlier states.
    private func changeContext() throws -> String {
        _ = try save()
        contexts.swapAt(0, 1)
        return "change context"
    }

    /// Opens the store again without the unsaved changes.
    private func reopen() throws -> String {
        try open()
        copy = saved
        return "reopen"
    }
}
