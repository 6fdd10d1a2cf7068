/// What `Z_MODELCACHE` holds: the model that a store was written with, a keyed archive as in a `.mom`, deflated without a
/// header (compiled-model.md; core-data-runtime.md, 3.1).
package enum ModelCache {
    /// The content for an archive; nil when there is not enough memory.
    package static func content(of archive: [UInt8]) -> [UInt8]? { RawDeflate.deflate(archive) }

    /// The archive in a content; nil when it is damaged, or inflates to more than any model.
    package static func archive(in content: [UInt8]) -> [UInt8]? { RawInflate.inflate(content) }
}
