/// The page of the studio, embedded in the binary.
public enum StudioPage {
    /// A file of the page.
    public struct File: Sendable {
        /// The path in the address.
        public let path: String
        /// The media type.
        public let type: String
        /// The bytes.
        public let bytes: [UInt8]
    }

    /// The files of the page; the first is the page itself.
    public static let files: [File] = {
        [
            file("index.html", type: "text/html", bytes: PackageResources.index_html),
            file("studio.css", type: "text/css", bytes: PackageResources.studio_css),
            file("data.html", type: "text/html", bytes: PackageResources.data_html),
            file("data.css", type: "text/css", bytes: PackageResources.data_css),
            file("app.js", type: "text/javascript", bytes: PackageResources.app_js),
            file("completion.js", type: "text/javascript", bytes: PackageResources.completion_js),
            file("data-cells.js", type: "text/javascript", bytes: PackageResources.data_cells_js),
            file("data-clipboard.js", type: "text/javascript", bytes: PackageResources.data_clipboard_js),
            file("data-edit.js", type: "text/javascript", bytes: PackageResources.data_edit_js),
            file("data-findings.js", type: "text/javascript", bytes: PackageResources.data_findings_js),
            file("data-help.js", type: "text/javascript", bytes: PackageResources.data_help_js),
            file("data-history.js", type: "text/javascript", bytes: PackageResources.data_history_js),
            file("data-import.js", type: "text/javascript", bytes: PackageResources.data_import_js),
            file("data-link.js", type: "text/javascript", bytes: PackageResources.data_link_js),
            file("data-list.js", type: "text/javascript", bytes: PackageResources.data_list_js),
            file("data-order.js", type: "text/javascript", bytes: PackageResources.data_order_js),
            file("data-predicate.js", type: "text/javascript", bytes: PackageResources.data_predicate_js),
            file("data-raw.js", type: "text/javascript", bytes: PackageResources.data_raw_js),
            file("data-selection.js", type: "text/javascript", bytes: PackageResources.data_selection_js),
            file("data-sidebar.js", type: "text/javascript", bytes: PackageResources.data_sidebar_js),
            file("data-store.js", type: "text/javascript", bytes: PackageResources.data_store_js),
            file("data-toolbar.js", type: "text/javascript", bytes: PackageResources.data_toolbar_js),
            file("data-viewer.js", type: "text/javascript", bytes: PackageResources.data_viewer_js),
            file("data-watch.js", type: "text/javascript", bytes: PackageResources.data_watch_js),
            file("data.js", type: "text/javascript", bytes: PackageResources.data_js),
            file("dom.js", type: "text/javascript", bytes: PackageResources.dom_js),
            file("entities.js", type: "text/javascript", bytes: PackageResources.entities_js),
            file("fields.js", type: "text/javascript", bytes: PackageResources.fields_js),
            file("graph.css", type: "text/css", bytes: PackageResources.graph_css),
            file("graph.js", type: "text/javascript", bytes: PackageResources.graph_js),
            file("graph-drawing.js", type: "text/javascript", bytes: PackageResources.graph_drawing_js),
            file("graph-export.js", type: "text/javascript", bytes: PackageResources.graph_export_js),
            file("graph-gestures.js", type: "text/javascript", bytes: PackageResources.graph_gestures_js),
            file("graph-minimap.js", type: "text/javascript", bytes: PackageResources.graph_minimap_js),
            file("graph-positions.js", type: "text/javascript", bytes: PackageResources.graph_positions_js),
            file("graph-scene.js", type: "text/javascript", bytes: PackageResources.graph_scene_js),
            file("inspector.js", type: "text/javascript", bytes: PackageResources.inspector_js),
            file("model.js", type: "text/javascript", bytes: PackageResources.model_js),
            file("overflow.js", type: "text/javascript", bytes: PackageResources.overflow_js),
            file("panels.js", type: "text/javascript", bytes: PackageResources.panels_js),
            file("reorder.js", type: "text/javascript", bytes: PackageResources.reorder_js),
            file("repair.css", type: "text/css", bytes: PackageResources.repair_css),
            file("repair.js", type: "text/javascript", bytes: PackageResources.repair_js),
            file("sidebar.js", type: "text/javascript", bytes: PackageResources.sidebar_js),
            file("splitters.js", type: "text/javascript", bytes: PackageResources.splitters_js),
            file("studio.js", type: "text/javascript", bytes: PackageResources.studio_js),
            file("syntax.js", type: "text/javascript", bytes: PackageResources.syntax_js),
            file("tables.js", type: "text/javascript", bytes: PackageResources.tables_js),
            file("versions.js", type: "text/javascript", bytes: PackageResources.versions_js),
        ]
    }()

    private static func file(_ path: String, type: String, bytes: [UInt8]) -> File {
        File(path: path, type: type + "; charset=utf-8", bytes: bytes)
    }
}
