package import CoreData
internal import Foundation

/// A row that was deleted, or an older version of one.
package struct DeletedRow: Sendable {
    /// How certain the row is.
    package enum Confidence: String, Comparable, Sendable, CaseIterable {
        /// Found by chance, or with parts in pages that may be used for something else.
        case low
        /// A record that fits the table, in free space.
        case medium
        /// A whole row in a page that was freed as a whole, or in a log.
        case high

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (first: Confidence, second: Confidence) -> Bool { first.rank < second.rank }
    }

    /// Where the row was found.
    package enum Source: String, Sendable {
        case log
        /// In a page of the file that the log replaces.
        case replacedPage = "replaced-page"
        case freePage = "free-page"
        /// In the free space of a page.
        case freeSpace = "free-space"
        /// In a page that nothing refers to.
        case unusedPage = "unused-page"
    }

    package var entity: String
    /// The key; `nil` if it was overwritten.
    package var key: Int64?
    package var confidence: Confidence
    /// Where the row was found.
    package var source: Source
    /// The number of the page.
    package var page: Int
    /// Whether an object with the key exists.
    package var isOlderVersion: Bool
    /// The attributes and the keys of to-one relationships.
    package var values: [(property: String, value: StoreContents.Value)]
}

/// Finds deleted rows in what SQLite has not overwritten.
package struct DeletedRowSearch {
    private let path: String
    private let model: NSManagedObjectModel?
    private let includesVersions: Bool

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - path: The path of the store, which is only read.
    ///   - model: The model; `nil` for the one in the store.
    ///   - includesVersions: Whether older versions of existing rows are also found.
    package init(path: String, model: NSManagedObjectModel?, includesVersions: Bool) {
        self.path = path
        self.model = model
        self.includesVersions = includesVersions
    }

    /// Passes each row to a closure, those from the log first.
    ///
    /// - Throws: `StoreDoctor.Failure` if the file or the model cannot be read.
    package func run(_ body: (DeletedRow) -> Void) throws(StoreDoctor.Failure) {
        do {
            let store = try DamagedStore(path: path, model: model)
            let scan = DeletedRowScan(store, includesVersions: includesVersions)
            scan.readExisting()
            scan.run(body)
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }
}

/// A search in progress.
private final class DeletedRowScan {
    private let store: DamagedStore
    private let shapes: [TableShape]
    private let names: [Int64: (entity: String, properties: [String: String])]
    private let includesVersions: Bool
    /// The shape of the table that each leaf page belongs to.
    private var owners: [Int: Int] = [:]
    private var visited: Set<Int> = []
    /// The keys of existing rows, by table.
    private var keys: [String: Set<Int64>] = [:]
    /// The contents of existing rows and of rows without a key: the same bytes are often in several places.
    private var contents: [String: Set<Int>] = [:]
    /// The contents of all rows with a key, by their keys: other objects can be equal.
    private var contentsWithKeys: [String: Set<Int>] = [:]
    /// The contents of reported rows with a key.
    private var foundContents: [String: Set<Int>] = [:]
    /// Rows whose keys were overwritten. They are reported at the end, unless the same row is found with its key.
    private var keyless: [(record: StoredRecord, shape: TableShape, location: Location)] = []

    /// A page in which rows are searched for.
    private struct PageScan {
        var page: [UInt8]
        var number: Int
        /// The tables whose rows the page can contain.
        var shapes: [TableShape]
        var source: DeletedRow.Source

        func location(_ confidence: DeletedRow.Confidence) -> Location {
            Location(page: number, source: source, confidence: confidence)
        }
    }

    /// Where a row was found.
    private struct Location {
        var page: Int
        var source: DeletedRow.Source
        var confidence: DeletedRow.Confidence
    }
    /// The keys of rows that were found, which are the newest versions.
    private var found: [String: Set<Int64>] = [:]

    init(_ store: DamagedStore, includesVersions: Bool) {
        self.store = store
        self.includesVersions = includesVersions
        shapes = store.shapes
        var names: [Int64: (entity: String, properties: [String: String])] = [:]
        for entity in store.layout.entities {
            var properties: [String: String] = [:]
            for property in entity.properties {
                switch property.position {
                case .attribute(let attribute): properties[SQLName.key(attribute.column)] = property.name
                case .toOne(let toOne): properties[SQLName.key(toOne.key)] = property.name
                case .members, .join: continue
                }
            }
            names[Int64(entity.number)] = (entity.name, properties)
        }
        self.names = names
    }

    private var file: PageFile { store.file }

    /// Returns a hash of all values but the key, and of the key if it is given.
    private static func content(_ record: StoredRecord, key: Int64? = nil) -> Int {
        var hasher = Hasher()
        hasher.combine(key)
        // Columns that were added later are not in older records.
        var count = record.values.count
        while count > 1, record.values[count - 1] == .null { count -= 1 }
        for value in record.values.prefix(count).dropFirst() { hasher.combine(value) }
        return hasher.finalize()
    }

    /// Reads the tables.
    func readExisting() {
        var walk = TableWalk(file)
        walk.forEach(root: 1) { _ in }
        visited.formUnion(walk.visited)
        for table in store.tables where table.root > 0 {
            let shape = shapes.firstIndex { $0.table == table.name }
            var walk = TableWalk(file)
            var (keys, contents, contentsWithKeys): (Set<Int64>, Set<Int>, Set<Int>) = ([], [], [])
            walk.forEach(root: table.root, taken: visited, leaf: { page, _ in owners[page] = shape ?? -1 }) { cell in
                guard shape != nil else { return }
                keys.insert(cell.key)
                contents.insert(Self.content(cell.record))
                contentsWithKeys.insert(Self.content(cell.record, key: cell.key))
            }
            visited.formUnion(walk.visited)
            (self.keys[table.name], self.contents[table.name]) = (keys, contents)
            self.contentsWithKeys[table.name] = contentsWithKeys
        }
    }

    // MARK: Sources

    func run(_ body: (DeletedRow) -> Void) {
        // The newest versions first.
        for frame in file.frames.reversed() {
            guard let page = file.page(in: frame) else { continue }
            scan(PageScan(page: page, number: frame.page, shapes: shapes, source: .log), body)
        }
        for number in file.replacedPages {
            guard let page = file.filePage(number) else { continue }
            scan(PageScan(page: page, number: number, shapes: shapes, source: .replacedPage), body)
        }
        let free = file.freePages()
        for number in free.leaves.sorted() {
            guard let page = file.page(number) else { continue }
            scan(PageScan(page: page, number: number, shapes: shapes, source: .freePage), body)
        }
        for number in free.trunks {
            guard let page = file.page(number) else { continue }
            let count = min(max(0, PageFile.number(page, at: 4, count: 4)), file.usableSize / 4 - 2)
            scanSpace(
                of: PageScan(page: page, number: number, shapes: shapes, source: .freePage),
                from: 8 + 4 * count, to: file.usableSize, confidence: .low, body)
        }
        for (number, shape) in owners.sorted(by: { $0.key < $1.key }) where shape >= 0 {
            guard let page = file.page(number), let (header, _) = file.cells(page, number: number) else { continue }
            let scan = PageScan(page: page, number: number, shapes: [shapes[shape]], source: .freeSpace)
            scanFreeSpace(of: scan, header: header, body)
        }
        let trunks = Set(free.trunks)
        for number in file.pageNumbers
        where !visited.contains(number) && !free.leaves.contains(number) && !trunks.contains(number) {
            guard let page = file.page(number), page[0] == PageFile.leafType else { continue }
            scan(PageScan(page: page, number: number, shapes: shapes, source: .unusedPage), body)
        }
        for row in keyless where foundContents[row.shape.table]?.contains(Self.content(row.record)) != true {
            emit(row.record, key: nil, shape: row.shape, location: row.location, isOlder: false, body)
        }
    }

    /// Finds rows in a page that is not, or not in this state, part of a table.
    private func scan(_ scan: PageScan, _ body: (DeletedRow) -> Void) {
        let page = scan.page
        guard let (header, offsets) = file.cells(page, number: scan.number), page[header] == PageFile.leafType else {
            return
        }
        for offset in offsets {
            guard let cell = file.leafCell(page, at: offset),
                let shape = scan.shapes.first(where: { $0.fits(cell.record) })
            else { continue }
            let confidence: DeletedRow.Confidence =
                cell.overflows ? .low : scan.source == .unusedPage ? .medium : .high
            report(cell.record, key: cell.key, shape: shape, location: scan.location(confidence), body)
        }
        scanFreeSpace(of: scan, header: header, body)
    }

    /// Finds rows in the free blocks of a page, and between the array of cells and their content.
    private func scanFreeSpace(of scan: PageScan, header: Int, _ body: (DeletedRow) -> Void) {
        let page = scan.page
        let count = PageFile.number(page, at: header + 3, count: 2)
        var content = PageFile.number(page, at: header + 5, count: 2)
        if content == 0 { content = 65_536 }
        let start = header + 8 + 2 * count
        if start < content, content <= file.usableSize {
            scanSpace(of: scan, from: start, to: content, confidence: .medium, body)
        }
        var block = PageFile.number(page, at: header + 1, count: 2)
        var visited: Set<Int> = []
        while block >= start, block + 4 <= file.usableSize, visited.insert(block).inserted {
            let size = PageFile.number(page, at: block + 2, count: 2)
            scanBlock(of: scan, from: block, to: min(block + size, file.usableSize), body)
            block = PageFile.number(page, at: block, count: 2)
        }
    }

    /// Finds rows in a free block: the first one has lost its first bytes, and those of merged blocks may have.
    private func scanBlock(of scan: PageScan, from start: Int, to end: Int, _ body: (DeletedRow) -> Void) {
        var offset = start
        while offset + 6 <= end {
            if offset > start, let next = complete(in: scan, at: offset, end: end) {
                let location = scan.location(next.cell.overflows ? .low : .medium)
                report(next.cell.record, key: next.cell.key, shape: next.shape, location: location, body)
                offset += next.cell.size
                continue
            }
            var row: (record: StoredRecord, end: Int, shape: TableShape)?
            for shape in scan.shapes {
                guard let recordInFreeBlock = shape.recordInFreeBlock(scan.page, from: offset, to: end) else {
                    continue
                }
                row = (recordInFreeBlock.record, recordInFreeBlock.end, shape)
                break
            }
            guard let row else { return scanSpace(of: scan, from: offset + 4, to: end, confidence: .medium, body) }
            report(row.record, key: nil, shape: row.shape, location: scan.location(.medium), body)
            offset = row.end
        }
    }

    /// Finds whole cells at any offset.
    private func scanSpace(
        of scan: PageScan, from start: Int, to end: Int, confidence: DeletedRow.Confidence,
        _ body: (DeletedRow) -> Void
    ) {
        var offset = max(start, 8)
        while offset + 6 <= end {
            if let (cell, shape) = complete(in: scan, at: offset, end: end) {
                let location = scan.location(cell.overflows ? .low : confidence)
                report(cell.record, key: cell.key, shape: shape, location: location, body)
                offset += cell.size
            } else if let (record, shape, size) = freed(in: scan, at: offset, end: end) {
                report(record, key: nil, shape: shape, location: scan.location(confidence), body)
                offset += size
            } else {
                offset += 1
            }
        }
    }

    /// Returns the row of a cell that SQLite has freed where the free space begins: it writes the size of the cell into
    /// it.
    private func freed(
        in scan: PageScan, at offset: Int, end: Int
    ) -> (record: StoredRecord, shape: TableShape, size: Int)? {
        let size = PageFile.number(scan.page, at: offset + 2, count: 2)
        guard size >= 6, offset + size <= end else { return nil }
        for shape in scan.shapes {
            if let (record, last) = shape.recordInFreeBlock(scan.page, from: offset, to: offset + size),
                last == offset + size
            {
                return (record, shape, size)
            }
        }
        return nil
    }

    private func complete(in scan: PageScan, at offset: Int, end: Int) -> (cell: LeafCell, shape: TableShape)? {
        let page = scan.page
        // Almost all offsets are excluded before anything is read.
        guard page[offset] > 4, let (_, sizeCount) = Varint.read(page, at: offset),
            let (key, keyCount) = Varint.readInteger(page, at: offset + sizeCount), key > 0,
            let (headerSize, headerCount) = Varint.read(page, at: offset + sizeCount + keyCount), headerSize >= 4
        else { return nil }
        let types = offset + sizeCount + keyCount + headerCount
        guard types + 2 < end, page[types] == 0, [1, 2, 8, 9].contains(page[types + 1]),
            let cell = file.leafCell(page, at: offset, end: end),
            let shape = scan.shapes.first(where: { $0.fits(cell.record) })
        else { return nil }
        return (cell, shape)
    }

    // MARK: Results

    private func report(
        _ record: StoredRecord, key: Int64?, shape: TableShape, location: Location, _ body: (DeletedRow) -> Void
    ) {
        let table = shape.table
        guard let key else {
            // Without the key, a copy of an existing row looks like an equal row.
            if contents[table, default: []].insert(Self.content(record)).inserted {
                keyless.append((record, shape, location))
            }
            return
        }
        guard contentsWithKeys[table, default: []].insert(Self.content(record, key: key)).inserted else { return }
        let isOlder = keys[table]?.contains(key) ?? false
        if isOlder, !includesVersions { return }
        guard found[table, default: []].insert(key).inserted || includesVersions else { return }
        foundContents[table, default: []].insert(Self.content(record))
        emit(record, key: key, shape: shape, location: location, isOlder: isOlder, body)
    }

    private func emit(
        _ record: StoredRecord, key: Int64?, shape: TableShape, location: Location, isOlder: Bool,
        _ body: (DeletedRow) -> Void
    ) {
        guard let number = shape.entity(record), let name = names[number] else { return }
        var values: [(property: String, value: StoreContents.Value)] = []
        for (column, value) in zip(shape.columns, record.values).dropFirst(3) {
            guard let property = name.properties[SQLName.key(column)] else { continue }
            values.append((property, value))
        }
        body(
            DeletedRow(
                entity: name.entity, key: key, confidence: location.confidence, source: location.source,
                page: location.page,
                isOlderVersion: isOlder, values: values))
    }
}
