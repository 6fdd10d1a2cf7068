internal import CLibrary

/// A standard stream of the process, which records the first write error.
final class StandardStream {
    private let descriptor: Int32
    /// The `errno` of the first error; 0 if everything was written.
    private(set) var failure: Int32 = 0

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Prepares the streams so that writes report every error, and keeps files that are opened later from taking the
    /// descriptor of a closed stream.
    static func prepare() {
        // A closed pipe and a file that is too large fail the write instead of killing the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // The placeholder of an output stream is opened for reading, so that writing to it fails.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", mode)
        }
    }

    /// Writes a text, unless an earlier one could not be written: what follows a gap would be misread.
    func write(_ text: String) {
        guard failure == 0 else { return }
        var text = text
        text.withUTF8 { buffer in
            var written = 0
            while written < buffer.count, let start = buffer.baseAddress {
                let count = systemWrite(descriptor, buffer: start + written, count: buffer.count - written)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN {
                    waitUntilWritable()
                    continue
                }
                if count <= 0 {
                    failure = count < 0 ? errno : EIO
                    return
                }
                written += count
            }
        }
    }

    /// Closes the stream. Some file systems report a failed write only on close.
    func finish() {
        if close(descriptor) != 0, failure == 0, errno != EBADF { failure = errno }
    }

    /// Waits until the stream, which another process has made nonblocking, can be written to.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, -1)
    }
}

// Inside the type, the method hides the system's function of the same name.
private func systemWrite(_ descriptor: Int32, buffer: UnsafeRawPointer, count: Int) -> Int {
    write(descriptor, buffer, count)
}
