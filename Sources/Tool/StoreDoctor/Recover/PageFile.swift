internal import CLibrary
internal import Foundation

/// The pages of a database and its log, read without SQLite, so that damaged files can be read. Nothing is locked or
/// written.
///
/// Every number comes from the file and may be anything: what is out of range is read as `nil`.
final class PageFile {
    /// A page in the log.
    struct Frame {
        var page: Int
        /// The offset of its bytes.
        var offset: Int
    }

    let pageSize: Int
    /// The number of bytes of a page that are used.
    let usableSize: Int
    /// The number of pages, in the file or the log.
    let pageCount: Int
    /// All frames of the log, also those that are not valid any more.
    let frames: [Frame]
    /// The newest committed frame of each page.
    private var current: [Int: Int] = [:]

    private let file: Int32
    private let log: Int32
    private let fileSize: Int

    /// The numbers of readings of the pages with the rest of large records.
    private var overflowReads: [Int: Int] = [:]
    /// The maximum number of readings of such a page. Each belongs to one record, which several pages and frames may
    /// have a copy of; a damaged file can have any number of records that refer to the same pages.
    static let maxOverflowReads = 100

    /// The maximum number of frames that are looked at.
    private static let maxFrames = 4_000_000

    /// Opens a file; `nil` if it cannot be read or has no page.
    init?(path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        self.file = file
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.log = log
        fileSize = max(0, Int(lseek(file, 0, SEEK_END)))
        let head = Self.read(file, at: 0, count: 100) ?? []
        let logHead = log >= 0 ? Self.read(log, at: 0, count: 32) : nil
        let pageSize = Self.pageSize(head, logHead)
        self.pageSize = pageSize
        let reserved = head.count > 20 && Self.isHeader(head) ? Int(head[20]) : 0
        usableSize = pageSize - (reserved <= pageSize - 480 ? reserved : 0)
        var frames: [Frame] = []
        var committed = 0
        if let logHead {
            frames = Self.frames(log, head: logHead, pageSize: pageSize)
            committed = Self.committed(log, head: logHead, frames: frames, pageSize: pageSize)
        }
        self.frames = frames
        for frame in frames.prefix(committed) { current[frame.page] = frame.offset }
        pageCount = min(
            max((fileSize + pageSize - 1) / pageSize, current.keys.max() ?? 0), Int(Int32.max))
        if pageCount == 0 {
            close(file)
            if log >= 0 { close(log) }
            return nil
        }
    }

    deinit {
        close(file)
        if log >= 0 { close(log) }
    }

    /// The numbers of all pages: those in the file, and those that are only in the log, whose numbers can be anything.
    var pageNumbers: [Int] {
        let count = min((fileSize + pageSize - 1) / pageSize, pageCount)
        return Array(1..<(count + 1)) + current.keys.filter { $0 > count }.sorted()
    }

    /// The pages that the log replaces.
    var replacedPages: [Int] { current.keys.sorted() }

    /// Returns the bytes of a page, as of the last commit.
    func page(_ number: Int) -> [UInt8]? {
        if let offset = current[number] { return Self.read(log, at: offset, count: pageSize) }
        return filePage(number)
    }

    /// Returns the bytes of a page with the rest of a large record; `nil` if too many records refer to it.
    func overflowPage(_ number: Int) -> [UInt8]? {
        let count = overflowReads[number, default: 0]
        guard count < Self.maxOverflowReads else { return nil }
        overflowReads[number] = count + 1
        return page(number)
    }

    /// The number of readings of pages with the rest of large records.
    var overflowReadCount: Int { overflowReads.values.reduce(0, +) }

    /// Returns the bytes of a page in the file, which the log may replace.
    func filePage(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        let offset = (number - 1) * pageSize
        guard offset < fileSize else { return nil }
        return Self.read(file, at: offset, count: pageSize)
    }

    /// Returns the bytes of a page in the log.
    func page(in frame: Frame) -> [UInt8]? { Self.read(log, at: frame.offset, count: pageSize) }

    /// The pages of the free list: its trunks and its leaves.
    func freePages() -> (trunks: [Int], leaves: Set<Int>) {
        guard let head = page(1), Self.isHeader(head) else { return ([], []) }
        var trunks: [Int] = []
        var leaves: Set<Int> = []
        var visited: Set<Int> = []
        var next = Self.number(head, at: 32, count: 4)
        while next >= 1, next <= pageCount, visited.insert(next).inserted, let trunk = page(next) {
            trunks.append(next)
            let count = min(Self.number(trunk, at: 4, count: 4), usableSize / 4 - 2)
            for index in 0..<max(0, count) { leaves.insert(Self.number(trunk, at: 8 + index * 4, count: 4)) }
            next = Self.number(trunk, at: 0, count: 4)
        }
        return (trunks, leaves)
    }

    // MARK: Reading

    /// Reads bytes, with zeros after the end of the file; `nil` if there is none.
    private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, off_t(offset))
        return read > 0 ? bytes : nil
    }

    /// Returns a big-endian number; 0 if it is out of range.
    static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
        guard offset >= 0, offset + count <= bytes.count else { return 0 }
        return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func isHeader(_ head: [UInt8]) -> Bool { head.starts(with: Array("SQLite format 3\u{0}".utf8)) }

    private static func isPageSize(_ size: Int) -> Bool { size >= 512 && size <= 65_536 && size & (size - 1) == 0 }

    private static func pageSize(_ head: [UInt8], _ logHead: [UInt8]?) -> Int {
        var size = number(head, at: 16, count: 2)
        if size == 1 { size = 65_536 }
        if isHeader(head), isPageSize(size) { return size }
        let logSize = logHead.map { number($0, at: 8, count: 4) } ?? 0
        // Core Data's stores have pages of 4096 bytes.
        return isPageSize(logSize) ? logSize : 4096
    }

    private static func frames(_ log: Int32, head: [UInt8], pageSize: Int) -> [Frame] {
        guard number(head, at: 0, count: 4) & ~1 == 0x377F_0682, number(head, at: 8, count: 4) == pageSize else {
            return []
        }
        let size = Int(lseek(log, 0, SEEK_END))
        var frames: [Frame] = []
        var offset = 32
        while offset + 24 + pageSize <= size, frames.count < maxFrames {
            let page = number(read(log, at: offset, count: 24) ?? [], at: 0, count: 4)
            frames.append(Frame(page: page, offset: offset + 24))
            offset += 24 + pageSize
        }
        return frames
    }

    /// Returns the number of frames up to the last commit, whose checksums are right.
    private static func committed(_ log: Int32, head: [UInt8], frames: [Frame], pageSize: Int) -> Int {
        let isBigEndian = number(head, at: 0, count: 4) & 1 == 1
        var sums: (UInt32, UInt32) = (0, 0)
        func add(_ bytes: ArraySlice<UInt8>) {
            var index = bytes.startIndex
            while index + 8 <= bytes.endIndex {
                func word(_ start: Int) -> UInt32 {
                    let part = bytes[start..<(start + 4)]
                    return isBigEndian
                        ? part.reduce(0) { $0 << 8 | UInt32($1) } : part.reversed().reduce(0) { $0 << 8 | UInt32($1) }
                }
                sums.0 = sums.0 &+ word(index) &+ sums.1
                sums.1 = sums.1 &+ word(index + 4) &+ sums.0
                index += 8
            }
        }
        add(head[0..<24])
        guard number(head, at: 24, count: 4) == Int(sums.0), number(head, at: 28, count: 4) == Int(sums.1) else {
            return 0
        }
        var committed = 0
        for (index, frame) in frames.enumerated() {
            guard let bytes = read(log, at: frame.offset - 24, count: 24 + pageSize), frame.page > 0,
                bytes[8..<16].elementsEqual(head[16..<24])
            else { break }
            add(bytes[0..<8])
            add(bytes[24...])
            guard number(bytes, at: 16, count: 4) == Int(sums.0), number(bytes, at: 20, count: 4) == Int(sums.1) else {
                break
            }
            if number(bytes, at: 4, count: 4) != 0 { committed = index + 1 }
        }
        return committed
    }
}
