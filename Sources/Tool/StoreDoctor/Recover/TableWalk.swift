internal import CoreData

/// The rows of a table, as far as its pages can be read.
struct TableWalk {
    /// What could not be read.
    struct Loss: Sendable {
        var pages = 0
        /// The number of rows on pages that can be read.
        var rows = 0
        /// The keys that the lost pages had, as far as their parents say: the first excluded, the last included.
        var keys: [(after: Int64?, through: Int64?)] = []
    }

    private let file: PageFile
    private(set) var loss = Loss()
    /// The pages of the table.
    private(set) var visited: Set<Int> = []

    init(_ file: PageFile) {
        self.file = file
    }

    /// The maximum depth of a tree; SQLite's limit is 20.
    private static let depth = 40

    /// Passes each row, and the page that it is on, to a closure.
    ///
    /// - Parameter taken: The pages of other tables, which are not read again.
    mutating func forEach(
        root: Int, taken: Set<Int> = [], leaf: (Int, [UInt8]) -> Void = { _, _ in }, _ body: (LeafCell) throws -> Void
    ) rethrows {
        var stack: [(page: Int, after: Int64?, through: Int64?, depth: Int)] = [(root, nil, nil, 0)]
        while let (number, after, through, depth) = stack.popLast() {
            func lose() {
                loss.pages += 1
                if loss.keys.count < 1000 { loss.keys.append((after, through)) }
            }
            guard depth < Self.depth, number >= 1, number <= file.pageCount, !taken.contains(number),
                visited.insert(number).inserted, let page = file.page(number),
                let (header, offsets) = file.cells(page, number: number)
            else {
                lose()
                continue
            }
            if page[header] == PageFile.leafType {
                leaf(number, page)
                for offset in offsets {
                    guard let cell = file.leafCell(page, at: offset) else {
                        loss.rows += 1
                        continue
                    }
                    try body(cell)
                }
                continue
            }
            var children: [(page: Int, after: Int64?, through: Int64?, depth: Int)] = []
            var last = after
            for offset in offsets {
                guard offset >= 8, offset + 5 <= file.usableSize,
                    let (key, _) = Varint.readInteger(page, at: offset + 4)
                else {
                    loss.pages += 1
                    continue
                }
                children.append((PageFile.number(page, at: offset, count: 4), last, key, depth + 1))
                last = key
            }
            children.append((PageFile.number(page, at: header + 8, count: 4), last, through, depth + 1))
            stack += children.reversed()
        }
    }
}
