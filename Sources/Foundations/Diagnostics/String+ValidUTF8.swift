extension String {
    /// Creates a text from UTF-8; `nil` if the bytes are invalid. `String(validating:as:)` needs macOS 15.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Invalid bytes were replaced by U+FFFD, whose own bytes are valid.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
