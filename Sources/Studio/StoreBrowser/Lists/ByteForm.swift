internal import CompiledModel
internal import Foundation

/// The format of bytes, recognized by their signature.
struct ByteForm {
    /// The media type of an image that browsers show without running scripts, which excludes SVG.
    let imageType: String?
    /// The name of the format.
    let title: String
    /// Whether the bytes may be a property list.
    let isPropertyList: Bool

    init(_ data: Data) {
        let head = [UInt8](data.prefix(16))
        func starts(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: Array(text.utf8))
        }
        isPropertyList = starts("bplist0") || starts("<?xml") || starts("<plist") || starts("<!DOCTYPE plist")
        let image: (type: String, name: String)? =
            if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                ("image/png", "PNG image")
            } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
                ("image/jpeg", "JPEG image")
            } else if starts("GIF87a") || starts("GIF89a") {
                ("image/gif", "GIF image")
            } else if starts("RIFF"), starts("WEBP", at: 8) {
                ("image/webp", "WebP image")
            } else {
                nil
            }
        imageType = image?.type
        title = image?.name ?? (starts("bplist0") ? "binary property list" : isPropertyList ? "XML" : "bytes")
    }
}
