/// Mangles the symbols of accessors and functions of classes as the Swift compiler does (docs/ABI/Mangling.rst of the
/// Swift project), to the extent that `@NSManaged` declarations need.
///
/// Tested against the compiler itself (`SymbolManglerTests`).
struct SymbolMangler {
    /// A type whose mangling is known.
    indirect enum MangledType: Hashable, Sendable {
        /// A standard library type with a one-letter mangling: `i` for `Int`.
        case short(UInt8)
        /// A class, structure or enumeration.
        case nominal(Nominal)
        /// `Optional`.
        case optional(MangledType)
        /// A generic type with its arguments: `Array`, `Dictionary` and `Set`.
        case bound(UInt8, [MangledType])
        /// `Any`.
        case any
        /// `AnyObject`.
        case anyObject
    }

    /// A nominal type, identified by its path in a module.
    struct Nominal: Hashable, Sendable {
        var module: String
        /// The enclosing types and the type itself, from the outside in.
        var path: [Component]

        struct Component: Hashable, Sendable {
            var name: String
            /// `C` for a class, `V` for a structure, `O` for an enumeration.
            var kind: Character
        }
    }

    /// Returns the symbols of a property's accessors.
    ///
    /// - Parameter discriminator: For a private property, the text that distinguishes it from properties of the same
    ///   name in other files.
    static func accessors(
        _ name: String, of owner: Nominal, type: MangledType, discriminator: String? = nil
    ) -> (getter: String, setter: String) {
        var mangler = SymbolMangler()
        mangler.nominal(owner)
        mangler.declaration(name, discriminator)
        mangler.type(type)
        return (mangler.text + "vg", mangler.text + "vs")
    }

    /// Returns the symbol of a function without a result.
    static func function(
        _ name: String, of owner: Nominal, parameters: [(label: String?, type: MangledType)],
        discriminator: String? = nil
    ) -> String {
        var mangler = SymbolMangler()
        mangler.nominal(owner)
        mangler.declaration(name, discriminator)
        if parameters.contains(where: { $0.label != nil }) {
            for parameter in parameters {
                if let label = parameter.label { mangler.identifier(label) } else { mangler.append("_") }
            }
        } else {
            mangler.append("y")
        }
        // The result: an empty tuple.
        mangler.append("y")
        if parameters.count == 1, parameters[0].label == nil {
            mangler.type(parameters[0].type)
        } else {
            for (number, parameter) in parameters.enumerated() {
                mangler.type(parameter.type)
                if number == 0 { mangler.append("_") }
            }
            mangler.append(parameters.isEmpty ? "y" : "t")
        }
        return mangler.text + "F"
    }

    private var bytes: [UInt8] = Array("$s".utf8)
    /// The substitutions: mangled entities that can be repeated by their numbers.
    private var substitutions: [String: Int] = [:]
    /// The words of names, as ranges of the text; a later name can repeat them.
    private var words: [Range<Int>] = []
    /// The repetition that was written last, which the next one can be merged with.
    private var last: (letter: UInt8, start: Int, end: Int, count: Int, isShort: Bool)?

    private var text: String { String(decoding: bytes, as: UTF8.self) }

    private mutating func append(_ text: String) { bytes += Array(text.utf8) }

    // MARK: Repetitions

    private mutating func substitute(_ key: String) -> Bool {
        guard let number = substitutions[key] else { return false }
        if number >= 26 {
            // Numbers from 26 on are written as `A`, the number less 27 (empty for 26), and `_`.
            append("A" + (number == 26 ? "" : "\(number - 27)") + "_")
        } else {
            repetition(UInt8(ascii: "A") + UInt8(number), isShort: false)
        }
        return true
    }

    /// Writes `A` or `S` and a letter, or merges it with one directly before: `ACAC` is `A2C`, `AAAC` is `AaC`, `SSSS`
    /// is `S2S`.
    private mutating func repetition(_ letter: UInt8, isShort: Bool) {
        if let last, last.end == bytes.count, last.isShort == isShort, last.count < 2048 {
            if last.letter == letter {
                bytes.removeSubrange(last.start...)
                append("\(last.count + 1)")
                bytes.append(letter)
                self.last = (letter, last.start, bytes.count, last.count + 1, isShort)
                return
            }
            if !isShort {
                bytes[bytes.count - 1] = last.letter + 32
                bytes.append(letter)
                self.last = (letter, bytes.count - 1, bytes.count, 1, isShort)
                return
            }
        }
        bytes += [UInt8(ascii: isShort ? "S" : "A"), letter]
        last = (letter, bytes.count - 1, bytes.count, 1, isShort)
    }

    private mutating func remember(_ key: String) { substitutions[key] = substitutions.count }

    // MARK: Types

    private mutating func type(_ type: MangledType) {
        switch type {
        case .short(let letter): repetition(letter, isShort: true)
        case .any: append("yp")
        case .anyObject: append("yXl")
        case .nominal(let nominal): self.nominal(nominal)
        case .optional(let wrapped):
            if substitute("\(type)") { return }
            self.type(wrapped)
            append("Sg")
            remember("\(type)")
        case .bound(let letter, let arguments):
            if substitute("\(type)") { return }
            repetition(letter, isShort: true)
            append("y")
            for argument in arguments { self.type(argument) }
            append("G")
            remember("\(type)")
        }
    }

    private mutating func nominal(_ nominal: Nominal) {
        let key = "\(nominal)"
        if substitute(key) { return }
        if nominal.path.count > 1 {
            self.nominal(Nominal(module: nominal.module, path: Array(nominal.path.dropLast())))
        } else if nominal.module == "Swift" {
            append("s")
        } else {
            identifier(nominal.module)
        }
        guard let last = nominal.path.last else { return }
        identifier(last.name)
        append(String(last.kind))
        remember(key)
    }

    // MARK: Names

    private mutating func declaration(_ name: String, _ discriminator: String?) {
        identifier(name)
        guard let discriminator else { return }
        identifier(discriminator)
        append("LL")
    }

    private mutating func identifier(_ name: String) {
        let key = "identifier \(name)"
        if substitute(key) { return }
        let scalars = Array(name.utf8)
        if scalars.contains(where: { $0 >= 0x80 }) {
            let encoded = SwiftPunycode.encode(name)
            append("00\(encoded.utf8.count)")
            if let first = encoded.utf8.first, Self.isDigit(first) || first == UInt8(ascii: "_") { append("_") }
            append(encoded)
        } else {
            plainIdentifier(scalars)
        }
        remember(key)
    }

    private mutating func plainIdentifier(_ name: [UInt8]) {
        let knownWords = words.count
        var newWords: [Range<Int>] = []
        var repeats: [(location: Int, word: Int, length: Int)] = []
        var start: Int?
        for location in 0...name.count {
            let byte = location < name.count ? name[location] : 0
            if let wordStart = start, Self.isWordEnd(byte, after: name[location - 1]) {
                let word = name[wordStart..<location]
                if let repeated = words.firstIndex(where: { bytes[$0] == word }) {
                    repeats.append((wordStart, repeated, word.count))
                } else if let new = newWords.firstIndex(where: { name[$0] == word }) {
                    repeats.append((wordStart, knownWords + new, word.count))
                } else if word.count >= 2, knownWords + newWords.count < 26 {
                    newWords.append(wordStart..<location)
                }
                start = nil
            }
            if start == nil, Self.isWordStart(byte) { start = location }
        }
        if !repeats.isEmpty { append("0") }
        var location = 0
        var nextNew = 0
        for (number, part) in (repeats + [(name.count, -1, 0)]).enumerated() {
            if location < part.location {
                append("\(part.location - location)")
                let base = bytes.count - location
                while nextNew < newWords.count, newWords[nextNew].lowerBound < part.location {
                    let word = newWords[nextNew]
                    words.append(word.lowerBound + base..<word.upperBound + base)
                    nextNew += 1
                }
                bytes += name[location..<part.location]
                location = part.location
            }
            guard part.word >= 0 else { continue }
            location += part.length
            let isLast = number == repeats.count - 1
            bytes.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(part.word))
            if isLast, location == name.count { append("0") }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    private static func isWordStart(_ byte: UInt8) -> Bool { byte != 0 && byte != UInt8(ascii: "_") && !isDigit(byte) }
    private static func isWordEnd(_ byte: UInt8, after previous: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "_") || (!isUpper(previous) && isUpper(byte))
    }
}
