/// Draws a box: a head with the entity's name, and a row for each property.
struct SVGBox {
    private let entity: GraphEntity
    private let rows: [GraphEntity.Row]
    private let surplus: Int

    private static let margin = 12.0
    private static let widest = 340.0
    private static let narrowest = 110.0
    private static let rowHeight = 18.0
    private static let nameSize = 13.0
    private static let textSize = 12.0
    /// The most rows; an entity with more of them says how many are left out.
    private static let rowLimit = 250

    init(_ entity: GraphEntity) {
        self.entity = entity
        let limited = entity.rows.count > Self.rowLimit
        rows = limited ? Array(entity.rows.prefix(Self.rowLimit - 1)) : entity.rows
        surplus = entity.rows.count - rows.count
    }

    private var name: String { SafeText.line(entity.shownName) }

    /// What stands above the name.
    private var stereotype: String? { entity.stereotype.map { "«\($0)»" } }

    private var headHeight: Double { stereotype == nil ? 28 : 40 }

    private static func typeText(_ row: GraphEntity.Row) -> String {
        SafeText.line(row.type) + (row.isOptional ? "?" : "")
    }

    /// The smallest size that shows everything, names of unusual length aside.
    var size: Size {
        var width = TextMetrics.width(
            TextMetrics.fitted(name, width: Self.widest, size: Self.nameSize, isBold: true), size: Self.nameSize,
            isBold: true)
        for row in rows {
            let name = TextMetrics.fitted(SafeText.line(row.name), width: Self.widest, size: Self.textSize)
            let type = TextMetrics.fitted(Self.typeText(row), width: Self.widest, size: Self.textSize)
            width = max(
                width,
                TextMetrics.width(name, size: Self.textSize) + 18 + TextMetrics.width(type, size: Self.textSize))
        }
        let lines = rows.count + (surplus > 0 ? 1 : 0)
        return Size(
            width: min(Self.widest, max(Self.narrowest, width + 2 * Self.margin)).rounded(.up),
            height: headHeight + (lines == 0 ? 0 : Double(lines) * Self.rowHeight + 8))
    }

    /// The box at a place, which can be larger than needed.
    func elements(in rect: Rect) -> String {
        var text = "<g><title>\(SafeText.xml(entity.shownName))</title>\n"
        let number = SVGElements.number
        let border = entity.role == .missing ? "b bm" : entity.role == .neighbour ? "b bn" : "b"
        text +=
            "<rect x=\"\(number(rect.x))\" y=\"\(number(rect.y))\" width=\"\(number(rect.width))\" "
            + "height=\"\(number(rect.height))\" rx=\"6\" class=\"\(border)\"/>\n"
        // A box without rows is all head.
        let head = rows.isEmpty ? rect.height : headHeight
        let inner = Rect(x: rect.x + 0.5, y: rect.y + 0.5, width: rect.width - 1, height: head - 0.5)
        let fill = entity.role == .missing ? "hm" : entity.isAbstract ? "ha" : "hd"
        text += SVGElements.path(rows.isEmpty ? Self.wholeShape(inner) : Self.headShape(inner), classes: fill) + "\n"
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
        let room = rect.width - 2 * Self.margin - 18
        for (index, row) in rows.enumerated() {
            let baseline = rect.y + headHeight + 17 + Double(index) * Self.rowHeight
            var name = SafeText.line(row.name)
            var type = Self.typeText(row)
            // When both do not fit, neither gets less than a third because of the other.
            let least = room / 3
            let nameWidth = TextMetrics.width(String(name.prefix(200)), size: Self.textSize)
            type = TextMetrics.fitted(type, width: max(least, room - nameWidth), size: Self.textSize)
            let typeWidth = TextMetrics.width(type, size: Self.textSize)
            name = TextMetrics.fitted(name, width: max(least, room - typeWidth), size: Self.textSize)
            text += SVGElements.text(
                name, x: rect.x + Self.margin, y: baseline, classes: row.isTransient ? "tr" : "p")
            text += SVGElements.text(type, x: rect.maxX - Self.margin, y: baseline, classes: "t") + "\n"
        }
        if surplus > 0 {
            let baseline = rect.y + headHeight + 17 + Double(rows.count) * Self.rowHeight
            text += SVGElements.text(
                "… and \(surplus) more", x: rect.x + Self.margin, y: baseline, classes: "m")
            text += "\n"
        }
        return text
    }

    /// A rectangle with round upper corners.
    private static func headShape(_ rect: Rect) -> String {
        let number = SVGElements.number
        return "M\(number(rect.x)) \(number(rect.maxY))v\(number(5.5 - rect.height))q0 -5.5 5.5 -5.5"
            + "h\(number(rect.width - 11))q5.5 0 5.5 5.5v\(number(rect.height - 5.5))z"
    }

    /// A rectangle with round corners, inside of a box without rows.
    private static func wholeShape(_ rect: Rect) -> String {
        let number = SVGElements.number
        let height = rect.height - 0.5
        return "M\(number(rect.x)) \(number(rect.y + 5.5))q0 -5.5 5.5 -5.5h\(number(rect.width - 11))q5.5 0 5.5 5.5"
            + "v\(number(height - 11))q0 5.5 -5.5 5.5h\(number(11 - rect.width))q-5.5 0 -5.5 -5.5z"
    }
}
