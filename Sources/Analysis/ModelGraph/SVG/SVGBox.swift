/// Draws a box: a head with the entity's name, and a row for each property.
struct SVGBox {
    private let entity: GraphEntity
    private let rows: [GraphEntity.Row]
    private let surplus: Int
    private let isSubdued: Bool

    private static let margin = 12.0
    private static let widest = 340.0
    private static let narrowest = 110.0
    private static let rowHeight = 18.0
    private static let nameSize = 13.0
    private static let textSize = 12.0
    /// The maximum number of rows. A box with more properties shows how many are left out.
    private static let rowLimit = 250

    /// - Parameter isSubdued: Whether the box recedes behind others.
    init(_ entity: GraphEntity, isSubdued: Bool = false) {
        self.entity = entity
        self.isSubdued = isSubdued
        let limited = entity.rows.count > Self.rowLimit
        rows = limited ? Array(entity.rows.prefix(Self.rowLimit - 1)) : entity.rows
        surplus = entity.rows.count - rows.count
    }

    /// The indentation of rows, which leaves room for marks.
    private var indentation: Double { rows.contains { $0.mark != nil } ? 20 : Self.margin }

    private var name: String { SafeText.line(entity.mark.marked(entity.shownName)) }

    /// The text above the name.
    private var stereotype: String? { entity.stereotype.map { "«\($0)»" } }

    private var headHeight: Double { stereotype == nil ? 28 : 40 }

    private static func rowName(_ row: GraphEntity.Row) -> String {
        SafeText.line(row.mark?.named(row.name) ?? row.name)
    }

    private static func typeText(_ row: GraphEntity.Row) -> String {
        SafeText.line(row.type) + (row.isOptional ? "?" : "")
    }

    /// The minimum size that shows everything, except for names of unusual length.
    var size: Size {
        var width = TextMetrics.width(
            TextMetrics.fitted(name, width: Self.widest, size: Self.nameSize, isBold: true), size: Self.nameSize,
            isBold: true)
        for row in rows {
            let name = TextMetrics.fitted(Self.rowName(row), width: Self.widest, size: Self.textSize)
            let type = TextMetrics.fitted(Self.typeText(row), width: Self.widest, size: Self.textSize)
            width = max(
                width,
                TextMetrics.width(name, size: Self.textSize) + 18 + TextMetrics.width(type, size: Self.textSize))
        }
        let lines = rows.count + (surplus > 0 ? 1 : 0)
        return Size(
            width: min(Self.widest, max(Self.narrowest, width + Self.margin + indentation)).rounded(.up),
            height: headHeight + (lines == 0 ? 0 : Double(lines) * Self.rowHeight + 8))
    }

    /// Returns the elements of the box in a rectangle, which can be larger than needed.
    func elements(in rect: Rect) -> String {
        let tooltip = entity.mark.map { " – \($0.tooltip)" } ?? ""
        var text = "<g\(isSubdued ? " class=\"q\"" : "")><title>\(SafeText.xml(entity.shownName + tooltip))</title>\n"
        let number = SVGElements.number
        var border = entity.role == .missing ? "b bm" : entity.role == .neighbor ? "b bn" : "b"
        if let kind = entity.mark?.kind { border += " y\(kind.letter)" }
        text +=
            "<rect x=\"\(number(rect.x))\" y=\"\(number(rect.y))\" width=\"\(number(rect.width))\" "
            + "height=\"\(number(rect.height))\" rx=\"6\" class=\"\(border)\"/>\n"
        // A box without rows consists of the head only.
        let head = rows.isEmpty ? rect.height : headHeight
        let inner = Rect(x: rect.x + 0.5, y: rect.y + 0.5, width: rect.width - 1, height: head - 0.5)
        let plain = entity.role == .missing ? "hm" : entity.isAbstract ? "ha" : "hd"
        let fill = entity.mark.map { "v\($0.kind.letter)" } ?? plain
        text += SVGElements.path(rows.isEmpty ? Self.fullShape(inner) : Self.headShape(inner), classes: fill) + "\n"
        let middle = rect.x + rect.width / 2
        let shift = (head - headHeight) / 2
        if let stereotype {
            text += SVGElements.text(stereotype, x: middle, y: rect.y + shift + 15, classes: "s") + "\n"
        }
        text += SVGElements.text(
            TextMetrics.fitted(name, width: rect.width - 2 * Self.margin, size: Self.nameSize, isBold: true),
            x: middle, y: rect.y + shift + headHeight - 10, classes: entity.isAbstract ? "n ab" : "n")
        text += "\n" + rowElements(in: rect)
        return text + "</g>\n"
    }

    private func rowElements(in rect: Rect) -> String {
        guard !rows.isEmpty else { return "" }
        let line = "M\(SVGElements.number(rect.x)) \(SVGElements.number(rect.y + headHeight))h"
        var text = SVGElements.path(line + SVGElements.number(rect.width), classes: "sep") + "\n"
        let room = rect.width - Self.margin - indentation - 18
        for (index, row) in rows.enumerated() {
            let baseline = rect.y + headHeight + 17 + Double(index) * Self.rowHeight
            var name = Self.rowName(row)
            var type = Self.typeText(row)
            // If both do not fit, each gets at least a third of the room.
            let least = room / 3
            let nameWidth = TextMetrics.width(String(name.prefix(200)), size: Self.textSize)
            type = TextMetrics.fitted(type, width: max(least, room - nameWidth), size: Self.textSize)
            let typeWidth = TextMetrics.width(type, size: Self.textSize)
            name = TextMetrics.fitted(name, width: max(least, room - typeWidth), size: Self.textSize)
            var classes = row.isTransient ? "tr" : "p"
            if let mark = row.mark {
                text += Self.markElements(mark, rect: rect, baseline: baseline)
                classes += " x\(mark.kind.letter)"
            }
            text += SVGElements.text(name, x: rect.x + indentation, y: baseline, classes: classes)
            text += SVGElements.text(type, x: rect.maxX - Self.margin, y: baseline, classes: "t")
            text += row.mark == nil ? "\n" : "</g>\n"
        }
        if surplus > 0 {
            let baseline = rect.y + headHeight + 17 + Double(rows.count) * Self.rowHeight
            text += SVGElements.text(
                "… and \(surplus) more", x: rect.x + indentation, y: baseline, classes: "m")
            text += "\n"
        }
        return text
    }

    /// Returns the start of the group of a marked row: the area behind it and the mark's character.
    private static func markElements(_ mark: GraphMark, rect: Rect, baseline: Double) -> String {
        let number = SVGElements.number
        return "<g><title>\(SafeText.xml(mark.tooltip))</title>"
            + "<rect x=\"\(number(rect.x + 1))\" y=\"\(number(baseline - 13))\" width=\"\(number(rect.width - 2))\" "
            + "height=\"\(number(rowHeight))\" class=\"w\(mark.kind.letter)\"/>"
            + SVGElements.text(mark.kind.character, x: rect.x + 10.5, y: baseline, classes: "g x\(mark.kind.letter)")
    }

    /// Returns a rectangle with rounded upper corners.
    private static func headShape(_ rect: Rect) -> String {
        let number = SVGElements.number
        return "M\(number(rect.x)) \(number(rect.maxY))v\(number(5.5 - rect.height))q0 -5.5 5.5 -5.5"
            + "h\(number(rect.width - 11))q5.5 0 5.5 5.5v\(number(rect.height - 5.5))z"
    }

    /// Returns a rectangle with rounded corners, inside a box without rows.
    private static func fullShape(_ rect: Rect) -> String {
        let number = SVGElements.number
        let height = rect.height - 0.5
        return "M\(number(rect.x)) \(number(rect.y + 5.5))q0 -5.5 5.5 -5.5h\(number(rect.width - 11))q5.5 0 5.5 5.5"
            + "v\(number(height - 11))q0 5.5 -5.5 5.5h\(number(11 - rect.width))q-5.5 0 -5.5 -5.5z"
    }
}
