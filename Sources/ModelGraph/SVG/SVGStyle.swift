/// The colours and fonts of a picture, for light and dark surroundings.
enum SVGStyle {
    /// Fonts that have nearly the widths of `TextMetrics`, and what is there when none of them is.
    static let fontFamily = "Helvetica Neue,Helvetica,Arial,Liberation Sans,Arimo,Nimbus Sans,sans-serif"

    /// The style sheet. No custom properties: not everything that draws SVG knows them.
    static let sheet = """
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
        @media (prefers-color-scheme:dark){
        text{fill:#e6edf3}.s,.t,.m{fill:#9198a1}.e{fill:#c3ccd6}
        .bg{fill:#0d1117}.b{fill:#161b22;stroke:#59636e}.hd{fill:#1f2d40}.sep{stroke:#59636e}
        .ha{fill:#2c2342}.hm{fill:#3d1f20}.bm{stroke:#ff7b72}
        .l{stroke:#86a5c8}.k{fill:#0d1117;stroke:#86a5c8}.i{stroke:#b58cff}.tri{fill:#0d1117;stroke:#b58cff}
        .l1{stroke:#4fb8b8}.l2{stroke:#e0935a}.l3{stroke:#6cc077}.l4{stroke:#e07ab0}.l5{stroke:#c9b040}
        }
        """
}
