internal import CZlib

/// Inflates the content of `Z_MODELCACHE`, which is deflated without a header (Documentation/Formats/CompiledModel.md;
/// Documentation/Formats/SQLiteStore.md, 2.3).
enum RawInflate {
    /// The maximum size of the result, in bytes; a model of 100 000 entities would fit, an expansion bomb does not.
    static let sizeLimit = 256 << 20

    /// Returns the inflated bytes; `nil` if they are damaged, truncated or too many.
    static func inflate(_ input: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard
            inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK,
            input.count <= Int32.max
        else { return nil }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var input = input
        return input.withUnsafeMutableBufferPointer { source -> [UInt8]? in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let code = buffer.withUnsafeMutableBufferPointer { target -> Int32 in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return CZlib.inflate(&stream, Z_NO_FLUSH)
                }
                guard code == Z_OK || code == Z_STREAM_END else { return nil }
                output += buffer[..<(buffer.count - Int(stream.avail_out))]
                if code == Z_STREAM_END { return output }
                guard output.count <= sizeLimit, stream.avail_in > 0 || stream.avail_out == 0 else { return nil }
            }
        }
    }
}
