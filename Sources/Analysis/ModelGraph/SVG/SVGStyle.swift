/// The colors and fonts of a picture, for light and dark backgrounds.
enum SVGStyle {
    /// Fonts with nearly the widths of `TextMetrics`, followed by generic fallbacks.
    static let fontFamily = "Helvetica Neue,Helvetica,Arial,Liberation Sans,Arimo,Nimbus Sans,sans-serif"

    /// Returns the style sheet. It has no custom properties, which not every SVG renderer supports.
    static func sheet(_ theme: GraphTheme) -> String { combined(sheet, dark: darkSheet, theme: theme) }

    /// Returns the style sheet of marks, which follows the other one.
    static func markSheet(_ theme: GraphTheme) -> String { combined(markSheet, dark: darkMarkSheet, theme: theme) }

    private static func combined(_ light: String, dark: String, theme: GraphTheme) -> String {
        switch theme {
        case .light: light
        case .auto: "\(light)\n@media (prefers-color-scheme:dark){\n\(dark)\n}"
        // Later rules win.
        case .dark: "\(light)\n\(dark)"
        }
    }

    private static let sheet = """
        text{font-family:\(fontFamily);font-size:12px;fill:#1f2328}
        .h{font-size:18px;font-weight:bold}.n{font-size:13px;font-weight:bold;text-anchor:middle}
        .ab{font-style:italic}.s{font-size:10px;text-anchor:middle}.t{text-anchor:end}
        .s,.t,.m{fill:#59636e}.e{font-size:11px;fill:#3b4754}.z{text-anchor:end}.tr{font-style:italic}
        .bg{fill:#fff}.b{fill:#fff;stroke:#9aa7b4}.hd{fill:#e4edf8}.sep{stroke:#9aa7b4;fill:none}
        .ha{fill:#efe7fb}.hm{fill:#fdebea}.bm{stroke:#cf222e;stroke-dasharray:4 3}.bn{stroke-dasharray:2 2}
        .l{fill:none;stroke:#4f6b8a;stroke-width:1.3}.o{stroke-dasharray:6 4}.c{stroke-dasharray:1 3}
        .k{fill:#fff;stroke:#4f6b8a;stroke-width:1.3}
        .i{fill:none;stroke:#8250df;stroke-width:1.3}.tri{fill:#fff;stroke:#8250df;stroke-width:1.3}
        .l1{stroke:#0b6e6e}.l2{stroke:#a04a00}.l3{stroke:#1f6f2b}.l4{stroke:#a3256a}.l5{stroke:#6b5900}
        """

    private static let darkSheet = """
        text{fill:#e6edf3}.s,.t,.m{fill:#9198a1}.e{fill:#c3ccd6}
        .bg{fill:#0d1117}.b{fill:#161b22;stroke:#59636e}.hd{fill:#1f2d40}.sep{stroke:#59636e}
        .ha{fill:#2c2342}.hm{fill:#3d1f20}.bm{stroke:#ff7b72}
        .l{stroke:#86a5c8}.k{fill:#0d1117;stroke:#86a5c8}.i{stroke:#b58cff}.tri{fill:#0d1117;stroke:#b58cff}
        .l1{stroke:#4fb8b8}.l2{stroke:#e0935a}.l3{stroke:#6cc077}.l4{stroke:#e07ab0}.l5{stroke:#c9b040}
        """

    /// `v` is the head of a box, `w` the area behind a row, `x` text,
    /// `y` a border or line; the letter after it is the kind of mark.
    private static let markSheet = """
        .h2{font-size:15px;font-weight:bold}.g{font-weight:bold;text-anchor:middle}.q{opacity:.65}
        .va,.wa{fill:#dafbe1}.vr,.wr{fill:#ffebe9}.vc,.wc{fill:#fff8c5}.vn,.wn{fill:#ddf4ff}.vs,.ws{fill:#fbefff}
        .xa{fill:#116329}.xr{fill:#a40e26}.xc{fill:#6b5000}.xn{fill:#0550ae}.xs{fill:#6639ba}
        .ya{stroke:#1a7f37}.yr{stroke:#cf222e}.yc{stroke:#9a6700}.yn{stroke:#0969da}.ys{stroke:#8250df}
        .b.ya,.b.yr,.b.yc,.b.yn,.b.ys{stroke-width:2}.l.ya,.l.yr,.l.yc,.l.yn,.l.ys{stroke-width:2}
        """

    private static let darkMarkSheet = """
        .va,.wa{fill:#12361f}.vr,.wr{fill:#43191b}.vc,.wc{fill:#3a2d0b}.vn,.wn{fill:#0c2d52}.vs,.ws{fill:#2c2342}
        .xa{fill:#56d364}.xr{fill:#ffa198}.xc{fill:#e3b341}.xn{fill:#79c0ff}.xs{fill:#d2a8ff}
        .ya{stroke:#3fb950}.yr{stroke:#ff7b72}.yc{stroke:#d29922}.yn{stroke:#58a6ff}.ys{stroke:#b58cff}
        """
}
