/// The content of `Z_MODELCACHE`: the model that a store was written with, a keyed archive as in a `.mom`, deflated
/// without a header (Documentation/Formats/CompiledModel.md; Documentation/Formats/SQLiteStore.md, 2.3).
package enum ModelCache {
    /// Returns the content for an archive; `nil` if there is not enough memory.
    package static func content(of archive: [UInt8]) -> [UInt8]? { RawDeflate.deflate(archive) }

    /// Returns the archive in a content, or `nil` if it is damaged or inflates to more than any model. SwiftData's
    /// stores may hold it uncompressed (Documentation/Formats/SwiftDataModel.md, 5).
    package static func archive(in content: [UInt8]) -> [UInt8]? {
        content.starts(with: Array("bplist".utf8)) ? content : RawInflate.inflate(content)
    }
}
