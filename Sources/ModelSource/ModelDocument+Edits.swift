public import Diagnostics
public import ModelSchema

extension ModelDocument {
    /// The edit that gives an element an XML attribute, or changes the one it has; nil when there is no such element.
    ///
    /// A new attribute goes where Xcode writes it, if the others are in Xcode's order.
    public func edit(setting attribute: String, to value: String, of origin: ElementOrigin?) -> FixIt.Edit? {
        guard let origin, let tag = byteRange(of: origin) else { return nil }
        let escaped = XMLWriter.escaped(value)
        if let range = byteRange(of: origin, valueOf: attribute) { return edit(range, escaped) }
        let place = byteOffset(forNew: attribute, of: origin) ?? tag.upperBound
        return edit(place..<place, " \(attribute)=\"\(escaped)\"")
    }

    /// The edit that takes an XML attribute from an element, with the space before it; nil when the element does not have
    /// it.
    public func edit(removing attribute: String, of origin: ElementOrigin?) -> FixIt.Edit? {
        guard let origin, let range = byteRange(of: origin, attribute: attribute) else { return nil }
        return edit(range.lowerBound - 1..<range.upperBound, "")
    }

    private func edit(_ bytes: Range<Int>, _ replacement: String) -> FixIt.Edit {
        FixIt.Edit(bytes: bytes, range: lines.range(of: bytes), replacement: replacement)
    }
}
