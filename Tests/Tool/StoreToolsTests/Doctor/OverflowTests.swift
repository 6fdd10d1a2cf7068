import Foundation
import TestSupport
import Testing

@testable import StoreDoctor

/// Records that are in several pages.
@Suite struct OverflowTests {
    /// Any number of records can name the same pages; reading them takes time in proportion to the size of the file.
    @Test func sharedOverflowPagesAreReadAFewTimes() throws {
        let folder = try StoreScratch()
        let (pages, cells) = (300, 2000)
        var bytes = [UInt8](repeating: 0, count: pages * 4096)
        bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\u{0}".utf8))
        bytes[16] = 0x10
        // Page 2 has a cell with a large record, whose rest begins in page 3.
        let offset = 4096 + 2000
        let size = (pages - 4) * 4092
        bytes.replaceSubrange(
            offset..<(offset + 4),
            with: [UInt8(size >> 14 & 0x7F) | 0x80, UInt8(size >> 7 & 0x7F) | 0x80, UInt8(size & 0x7F), 1])
        let minimum = (4096 - 12) * 32 / 255 - 23
        let rest = minimum + (size - minimum) % 4092
        let local = rest <= 4096 - 35 ? rest : minimum
        bytes.replaceSubrange((offset + 4)..<(offset + 6), with: [2, 1])
        bytes[offset + 4 + local + 3] = 3
        for page in 3..<pages {
            bytes.replaceSubrange(
                ((page - 1) * 4096 + 2)..<((page - 1) * 4096 + 4),
                with: [UInt8((page + 1) >> 8), UInt8((page + 1) & 0xFF)])
        }
        try folder.write(Data(bytes), to: "pages")
        let file = try #require(PageFile(path: folder.url("pages").path))
        let page = try #require(file.page(2))
        for _ in 0..<cells { _ = file.leafCell(page, at: 2000) }
        #expect(file.overflowReadCount > pages / 2)
        #expect(file.overflowReadCount <= PageFile.maxOverflowReads * pages)
    }
}
