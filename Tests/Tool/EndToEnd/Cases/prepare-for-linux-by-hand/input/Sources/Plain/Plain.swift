public let plain = 1
