internal import CLibXML2

/// Parses XML with libxml2's SAX interface into an `XMLTree`. Does not stop at the first problem.
///
/// Nothing outside the given bytes is ever read, and only XML's five predefined entities are ever expanded:
/// declarations are reported and dropped, so that external entities and expansion bombs have no effect. libxml2's own
/// limits on depth and size stay enabled.
struct XMLTreeParser {
    /// The maximum number of problems that are listed for one file; later ones are nearly always consequences of the
    /// first.
    static let problemLimit = 50

    /// Parses a document. Its size is limited only by memory; callers limit the size of files.
    static func parse(_ input: [UInt8]) -> XMLTree { parse(SourceText(input)) }

    /// Parses a document that is already decoded.
    static func parse(_ source: SourceText) -> XMLTree {
        _ = isLibraryReady
        let original = source.utf8
        let conflicts = ConflictMarkers.find(in: original)
        let bytes = conflicts?.bytes ?? original
        let collector = Collector(bytes: bytes)
        if let offset = source.firstInvalidOffset {
            let kind = XMLProblem.Kind.notInDeclaredEncoding(
                source.encoding.name, isSupported: source.encoding.form != .ascii)
            collector.problems.append(XMLProblem(kind: kind, range: offset..<min(offset + 1, bytes.count)))
        }
        for (text, range) in conflicts?.markers ?? [] {
            collector.problems.append(XMLProblem(kind: .conflictMarker(text), range: range))
        }
        if let tag = CrowdedTag.find(in: bytes) {
            collector.problems.append(XMLProblem(kind: .tooManyAttributes, range: tag..<tag + 1))
        } else if bytes.count <= Int32.max, !bytes.isEmpty {
            collector.run()
        }
        var tree = XMLTree(
            source: source, elements: collector.elements, problems: collector.problems, remarks: collector.remarks)
        for index in tree.elements.indices where tree.elements[index].parent >= 0 {
            tree.elements[tree.elements[index].parent].children.append(index)
        }
        return tree
    }
}

extension XMLTreeParser {
    /// libxml2 must be initialized once, before several threads use it.
    private static let isLibraryReady: Void = xmlInitParser()
}

/// Receives libxml2's events.
private final class Collector {
    let bytes: [UInt8]
    var elements: [XMLElement] = []
    var problems: [XMLProblem] = []
    var remarks: [XMLRemark] = []
    private var open: [Int] = []
    private var context: xmlParserCtxtPtr?
    /// The strings of names. libxml2 stores each name once per document, so one string is created for each.
    private var names: [UnsafePointer<xmlChar>: (text: String, known: XMLName?)] = [:]

    init(bytes: [UInt8]) {
        self.bytes = bytes
        elements.reserveCapacity(bytes.count / 120)
    }

    func run() {
        bytes.withUnsafeBytes { buffer in
            guard
                let start = buffer.bindMemory(to: CChar.self).baseAddress,
                let context = xmlCreateMemoryParserCtxt(start, Int32(buffer.count))
            else { return }
            defer {
                // libxml2 creates this document for the declarations of a document type, and does not free it with the
                // context.
                if let document = context.pointee.myDoc { xmlFreeDoc(document) }
                xmlFreeParserCtxt(context)
            }
            self.context = context
            _ = xmlCtxtUseOptions(
                context,
                Int32(
                    XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue
                        | XML_PARSE_IGNORE_ENC.rawValue))
            context.pointee.sax.pointee = Self.makeHandler()
            context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
            _ = xmlParseDocument(context)
            self.context = nil
        }
        reportTruncation()
    }

    /// Describes libxml2's error at the end of a truncated file. If there are other problems, unclosed elements are
    /// only a consequence of them.
    private func reportTruncation() {
        guard !open.isEmpty || elements.isEmpty else { return }
        problems.removeAll { if case .notWellFormed = $0.kind { $0.range.lowerBound >= bytes.count } else { false } }
        let isConsequence = problems.contains { problem in
            switch problem.kind {
            case .notWellFormed, .tooDeep, .tooManyAttributes, .notUTF8, .notInDeclaredEncoding: true
            case .truncated, .conflictMarker, .entityDeclaration, .documentType: false
            }
        }
        guard !isConsequence else { return }
        let names = open.map { elements[$0].name }
        problems.append(XMLProblem(kind: .truncated(openElements: names), range: bytes.count..<bytes.count))
    }

    /// The offset up to which libxml2 has read.
    private var offset: Int {
        guard let context else { return bytes.count }
        return min(max(Int(xmlByteConsumed(context)), 0), bytes.count)
    }

    private static func makeHandler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, localName, prefix, _, _, _, count, _, attributes in
            guard let collector = Collector.of(context), let localName else { return }
            collector.startElement(localName, prefix: prefix, count: Int(count), values: attributes)
        }
        handler.endElementNs = { context, _, _, _ in
            Collector.of(context)?.endElement()
        }
        handler.characters = { context, text, length in
            guard let text else { return }
            Collector.of(context)?.characters(UnsafeBufferPointer(start: text, count: Int(length)))
        }
        handler.cdataBlock = handler.characters
        handler.comment = { context, text in
            guard let text else { return }
            Collector.of(context)?.remark("<!--\(String(cString: text))-->")
        }
        handler.processingInstruction = { context, target, data in
            guard let target else { return }
            let data = data.map { " " + String(cString: $0) } ?? ""
            Collector.of(context)?.remark("<?\(String(cString: target))\(data)?>")
        }
        handler.internalSubset = { context, _, externalID, systemID in
            guard let collector = Collector.of(context) else { return }
            collector.documentType(isExternal: externalID != nil || systemID != nil)
        }
        handler.entityDecl = { context, name, _, _, _, _ in
            Collector.of(context)?.entityDeclaration(name)
        }
        handler.serror = { context, error in
            guard let error else { return }
            let message = error.pointee.message.map { String(cString: $0) } ?? ""
            Collector.of(context)?.problem(code: Int(error.pointee.code), level: error.pointee.level, message: message)
        }
        return handler
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Collector? {
        context.map { Unmanaged<Collector>.fromOpaque($0).takeUnretainedValue() }
    }

    private func name(_ pointer: UnsafePointer<xmlChar>) -> (text: String, known: XMLName?) {
        if let name = names[pointer] { return name }
        let text = String(cString: pointer)
        let name = (text, XMLName(rawValue: text))
        names[pointer] = name
        return name
    }

    private func name(
        _ local: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?
    ) -> (text: String, known: XMLName?) {
        guard let prefix else { return name(local) }
        return ("\(name(prefix).text):\(name(local).text)", nil)
    }

    private func startElement(
        _ localName: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?, count: Int,
        values: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        var attributes: [XMLElement.Attribute] = []
        attributes.reserveCapacity(count)
        if let values {
            // Five pointers for each attribute: local name, prefix, namespace, start and end of the value.
            for index in 0..<count {
                guard let local = values[index * 5], let start = values[index * 5 + 3], let end = values[index * 5 + 4]
                else { continue }
                let value = String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
                let (name, knownName) = name(local, prefix: values[index * 5 + 1])
                attributes.append(XMLElement.Attribute(name: name, knownName: knownName, value: value))
            }
        }
        let end = offset
        var start = max(end - 1, 0)
        while start > 0, bytes[start] != UInt8(ascii: "<") { start -= 1 }
        elements.append(
            XMLElement(
                name: name(localName, prefix: prefix).text, attributes: attributes,
                parent: parent(for: name(localName).text),
                tag: start..<max(start, end)))
        open.append(elements.count - 1)
    }

    /// Returns the index of the parent for a new element: the innermost open one.
    ///
    /// After a malformed tag, libxml2 treats the following elements as its children. The structure of a model is more
    /// reliable in this case: an entity belongs to the model, a property to its entity.
    private func parent(for name: String) -> Int {
        var index = open.last ?? (elements.isEmpty ? -1 : 0)
        guard !problems.isEmpty, let legal = Self.legalParents[name] else { return index }
        while index >= 0 {
            if legal.contains(elements[index].name) { return index }
            index = elements[index].parent
        }
        return open.last ?? (elements.isEmpty ? -1 : 0)
    }

    private static let legalParents: [String: Set<String>] = [
        "attribute": ["entity", "composite"], "composite": ["model"], "compoundIndexes": ["entity"],
        "configuration": ["model"], "elements": ["model"], "entity": ["model"], "fetchIndex": ["entity"],
        "fetchRequest": ["model", "fetchedProperty"], "fetchedProperty": ["entity"], "relationship": ["entity"],
        "uniquenessConstraints": ["entity"],
    ]

    private func endElement() {
        _ = open.popLast()
    }

    private func characters(_ text: UnsafeBufferPointer<xmlChar>) {
        guard let current = open.last else { return }
        let isSpace = text.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard !isSpace || !elements[current].text.isEmpty else { return }
        elements[current].text += String(decoding: text, as: UTF8.self)
    }

    private func remark(_ markup: String) {
        remarks.append(XMLRemark(markup: markup, parent: open.last ?? -1, elementsBefore: elements.count))
    }

    private func documentType(isExternal: Bool) {
        let location = offset
        let start = lastStart(of: "<!DOCTYPE", before: location) ?? location
        // Property lists name Apple's document type; it is never fetched, and harmless.
        if !isExternal { add(.documentType, start..<location) }
    }

    private func entityDeclaration(_ name: UnsafePointer<xmlChar>?) {
        guard problems.count < XMLTreeParser.problemLimit else { return }
        let location = offset
        let start = lastStart(of: "<!ENTITY", before: location) ?? location
        add(.entityDeclaration(name: name.map { String(cString: $0) } ?? ""), start..<location)
    }

    private func lastStart(of word: String, before end: Int) -> Int? {
        let word = Array(word.utf8)
        var start = end - word.count
        while start >= 0 {
            if bytes[start..<start + word.count].elementsEqual(word) { return start }
            start -= 1
        }
        return nil
    }

    private func problem(code: Int, level: xmlErrorLevel, message: String) {
        // Warnings are about namespaces and about entities that were dropped on purpose.
        guard level != XML_ERR_WARNING, problems.count < XMLTreeParser.problemLimit else { return }
        let location = offset
        if code == Int(XML_ERR_INTERNAL_ERROR.rawValue), message.contains("depth") {
            return add(.tooDeep, location..<location)
        }
        if code == Int(XML_ERR_INVALID_ENCODING.rawValue) || code == Int(XML_ERR_INVALID_CHAR.rawValue),
            location < bytes.count, bytes[location] >= 0x80
        {
            return add(.notUTF8, location..<location + 1)
        }
        let text = message.split(separator: "\n").first.map(String.init) ?? message
        add(.notWellFormed(text), location..<location)
    }

    private func add(_ kind: XMLProblem.Kind, _ range: Range<Int>) {
        let isRepeated = problems.contains { $0.range.lowerBound == range.lowerBound }
        guard problems.count < XMLTreeParser.problemLimit, !isRepeated else { return }
        problems.append(XMLProblem(kind: kind, range: range))
    }
}
