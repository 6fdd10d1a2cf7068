import CoreData
import XCTest

import Journal

private final class Recorder: Notebook.Observer {
    var saved: [String?] = []
    func notebookWasSaved(_ notebook: Notebook) { saved.append(notebook.name) }
}

final class JournalTests: XCTestCase {
    func testOverridesInExtensionsAreCalled() throws {
        let store = JournalStore()
        let entry = Entry(context: store.container.viewContext)
        XCTAssertEqual(entry.created, Date(timeIntervalSinceReferenceDate: 0))
        entry.text = " once "
        let notebook = store.newNotebook()
        XCTAssertEqual(notebook.name, "new")
        notebook.addToEntries(entry)
        let recorder = Recorder()
        notebook.observer = recorder
        try store.container.viewContext.save()
        XCTAssertEqual(entry.text, "once")
        XCTAssertEqual(entry.description, "Entry: once")
        XCTAssertEqual(notebook.saves, 1)
        XCTAssertEqual(recorder.saved, ["new"])
        XCTAssertEqual(Notebook.keyPathsForValuesAffectingValue(forKey: "title"), ["name", "entries"])
    }
}
