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
            file("index.html", "text/html", PackageResources.index_html),
            file("studio.css", "text/css", PackageResources.studio_css),
            file("data.html", "text/html", PackageResources.data_html),
            file("data.css", "text/css", PackageResources.data_css),
            file("app.js", "text/javascript", PackageResources.app_js),
            file("data-cells.js", "text/javascript", PackageResources.data_cells_js),
            file("data-edit.js", "text/javascript", PackageResources.data_edit_js),
            file("data-help.js", "text/javascript", PackageResources.data_help_js),
            file("data-history.js", "text/javascript", PackageResources.data_history_js),
            file("data-import.js", "text/javascript", PackageResources.data_import_js),
            file("data-link.js", "text/javascript", PackageResources.data_link_js),
            file("data-list.js", "text/javascript", PackageResources.data_list_js),
            file("data-order.js", "text/javascript", PackageResources.data_order_js),
            file("data-predicate.js", "text/javascript", PackageResources.data_predicate_js),
            file("data-selection.js", "text/javascript", PackageResources.data_selection_js),
            file("data-store.js", "text/javascript", PackageResources.data_store_js),
            file("data-viewer.js", "text/javascript", PackageResources.data_viewer_js),
            file("data.js", "text/javascript", PackageResources.data_js),
            file("dom.js", "text/javascript", PackageResources.dom_js),
            file("fields.js", "text/javascript", PackageResources.fields_js),
            file("graph.css", "text/css", PackageResources.graph_css),
            file("graph.js", "text/javascript", PackageResources.graph_js),
            file("graph-drawing.js", "text/javascript", PackageResources.graph_drawing_js),
            file("graph-export.js", "text/javascript", PackageResources.graph_export_js),
            file("graph-gestures.js", "text/javascript", PackageResources.graph_gestures_js),
            file("graph-scene.js", "text/javascript", PackageResources.graph_scene_js),
            file("inspector.js", "text/javascript", PackageResources.inspector_js),
            file("model.js", "text/javascript", PackageResources.model_js),
            file("panels.js", "text/javascript", PackageResources.panels_js),
            file("reorder.js", "text/javascript", PackageResources.reorder_js),
            file("repair.css", "text/css", PackageResources.repair_css),
            file("repair.js", "text/javascript", PackageResources.repair_js),
            file("sidebar.js", "text/javascript", PackageResources.sidebar_js),
            file("studio.js", "text/javascript", PackageResources.studio_js),
            file("tables.js", "text/javascript", PackageResources.tables_js),
        ]
    }()

    private static func file(_ path: String, _ type: String, _ bytes: [UInt8]) -> File {
        File(path: path, type: type + "; charset=utf-8", bytes: bytes)
    }
}
