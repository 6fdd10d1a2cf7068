internal import SwiftSources

/// Imports of Apple's user interface frameworks in sources that do not use them, such as those from Xcode's file templates.
enum UnusedFramework {
    /// Returns the module that can be imported in place of a framework; `nil` if the source needs the framework, or if
    /// Linux has the module.
    static func replacement(for site: SwiftFile.ImportSite, in source: ManagedSource) -> String? {
        guard !site.isScoped, site.submoduleRange.isEmpty else { return nil }
        switch site.module {
        case "UIKit": return uses(source, prefixes: ["UI"], names: uiKitNames, except: ["UIKit"]) ? nil : "Foundation"
        case "AppKit": return uses(source, prefixes: [], names: appKitNames) ? nil : "Foundation"
        case "Cocoa": return uses(source, prefixes: [], names: appKitNames) ? nil : "CoreData"
        case "CoreGraphics":
            return uses(source, prefixes: ["CG"], names: [], except: ["CGFloat", "CGPoint", "CGRect", "CGSize"])
                ? nil : "Foundation"
        case "ObjectiveC": return uses(source, prefixes: [], names: objectiveCNames) ? nil : "Foundation"
        default: return nil
        }
    }

    private static func uses(
        _ source: ManagedSource, prefixes: [String], names: Set<String>, except known: Set<String> = []
    ) -> Bool {
        LinuxCode.tokens(in: source.bytes).contains { token in
            guard token.kind == .word, !known.contains(token.text) else { return false }
            if names.contains(token.text) { return true }
            return prefixes.contains { prefix in
                token.text.hasPrefix(prefix) && token.text.dropFirst(prefix.count).first?.isUppercase ?? false
            }
        }
    }

    private static let shared: Set<String> = [
        "NSCollectionLayoutSection", "NSDiffableDataSourceSnapshot", "NSDiffableDataSourceSectionSnapshot",
        "NSFileProviderExtension", "NSLayoutAnchor", "NSLayoutConstraint", "NSLayoutManager", "NSParagraphStyle",
        "NSMutableParagraphStyle", "NSShadow", "NSTextAlignment", "NSTextAttachment", "NSTextContainer",
        "NSTextStorage",
        "NSUnderlineStyle", "QLPreviewController",
    ]

    private static let uiKitNames: Set<String> = shared.union([
        "CADisplayLink", "CALayer", "CATransaction", "CIColor", "CIImage", "CGColor", "CGContext", "CGImage", "CGPath",
        "NSDataAsset",
    ])

    private static let appKitNames: Set<String> = shared.union([
        "NSAlert", "NSApp", "NSApplication", "NSApplicationDelegate", "NSApplicationMain", "NSArrayController",
        "NSBezierPath", "NSBox", "NSButton", "NSClickGestureRecognizer", "NSCollectionView", "NSColor", "NSComboBox",
        "NSControl", "NSController", "NSCursor", "NSDocument", "NSDocumentController", "NSDraggingInfo", "NSEvent",
        "NSFont", "NSFontManager", "NSImage", "NSImageView", "NSMenu", "NSMenuItem", "NSNib", "NSObjectController",
        "NSOpenPanel", "NSOutlineView", "NSPanel", "NSPasteboard", "NSPersistentDocument", "NSPopUpButton",
        "NSProgressIndicator", "NSResponder", "NSSavePanel", "NSScreen", "NSScrollView", "NSSearchField", "NSSlider",
        "NSSplitView", "NSSplitViewController", "NSStackView", "NSStatusBar", "NSStoryboard", "NSStoryboardSegue",
        "NSTabView", "NSTableCellView", "NSTableColumn", "NSTableRowView", "NSTableView", "NSTextField", "NSTextView",
        "NSToolbar", "NSTreeController", "NSUserInterfaceItemIdentifier", "NSView", "NSViewController", "NSWindow",
        "NSWindowController", "NSWorkspace",
    ])

    private static let objectiveCNames: Set<String> = [
        "class_getName", "class_getInstanceMethod", "method_exchangeImplementations", "objc_getAssociatedObject",
        "objc_setAssociatedObject", "objc_sync_enter", "objc_sync_exit", "object_getClass", "autoreleasepool",
        "sel_getName",
    ]
}
