public import Foundation
internal import RuntimeSupport

/// Records operations that reverse changes, for undo and redo.
///
/// ```swift
/// context.undoManager = UndoManager()
/// book.title = "Emma"
/// context.undo()
/// ```
///
/// Foundation on Linux lacks this class; this one has Apple's interface and behavior. Changes are recorded in groups,
/// and undone one group at a time. With `groupsByEvent`, a group starts with the first change and ends with the event:
/// on the main queue with the current turn, in a context's `perform` with the block, and no later than `undo()`.
///
/// Not thread-safe: use it on one thread at a time.
open class UndoManager: NSObject {
    /// One change, or a group of them.
    private enum Action {
        case change(target: ObjectIdentifier, run: () -> Void)
        case group(Group)
    }

    private final class Group {
        var actions: [Action] = []
        var name = ""

        /// Removes the changes of a target. Returns whether the group is then empty.
        func remove(_ target: ObjectIdentifier) -> Bool {
            actions.removeAll { action in
                switch action {
                case .change(let other, _): other == target
                case .group(let group): group.remove(target)
                }
            }
            return actions.isEmpty
        }
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var openGroups: [Group] = []
    private var disableCount = 0
    /// Whether the outermost open group was opened by a change and is closed with the event.
    private var isAutomatic = false

    /// Whether a group begins and ends automatically with each event. The default is `true`.
    open var groupsByEvent = true
    /// The maximum number of groups that can be undone. The default, 0, means no limit.
    open var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }

    /// The run loop modes in which events end. Stored but not used, because no run loop is involved.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// Whether changes are being undone.
    open private(set) var isUndoing = false
    /// Whether changes are being redone.
    open private(set) var isRedoing = false

    /// Creates a manager without anything to undo.
    public override init() {
        super.init()
    }

    // MARK: Groups

    /// The number of nested open groups.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group.
    open func beginUndoGrouping() {
        if openGroups.isEmpty, groupsByEvent, !isUndoing, !isRedoing { openAutomaticGroup() }
        // Earlier changes belong to the enclosing group.
        if !openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
        openGroups.append(Group())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last. Traps if no group is open.
    ///
    /// Posts `NSUndoManagerCheckpoint` first, whereupon contexts add their changes to the group.
    open func endUndoGrouping() {
        if openGroups.isEmpty { misuse("endUndoGrouping called with no matching begin") }
        // Contexts record their changes now.
        post(.NSUndoManagerCheckpoint)
        post(.NSUndoManagerWillCloseUndoGroup)
        guard let group = openGroups.popLast() else { return }
        if let outer = openGroups.last {
            if !group.actions.isEmpty { outer.actions.append(.group(group)) }
            if outer.name.isEmpty { outer.name = group.name }
        } else {
            isAutomatic = false
            if !group.actions.isEmpty {
                push(group)
            } else if !group.name.isEmpty, let last = undoStack.last, last.name.isEmpty {
                last.name = group.name
            }
        }
        post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func push(_ group: Group) {
        if isUndoing {
            redoStack.append(group)
            return
        }
        undoStack.append(group)
        dropOldGroups()
    }

    private func dropOldGroups() {
        if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    }

    private func openAutomaticGroup() {
        openGroups.append(Group())
        isAutomatic = true
        post(.NSUndoManagerDidOpenUndoGroup)
        guard ContextQueue.isMain else { return }
        let end = SendableBox { [weak self] in self?.endEvent() }
        DispatchQueue.main.async { end.value() }
    }

    /// Closes a group that a change has opened automatically.
    final func endEvent() {
        if isAutomatic, openGroups.count == 1 { endUndoGrouping() }
    }

    // MARK: Recording

    /// Whether changes are recorded.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Disables recording until a matching call of `enableUndoRegistration()`. Calls may be nested.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Balances a call of `disableUndoRegistration()`. Traps if there was none.
    open func enableUndoRegistration() {
        guard disableCount > 0 else { misuse("enableUndoRegistration called without disableUndoRegistration") }
        disableCount -= 1
    }

    /// Records how to reverse a change.
    ///
    /// - Parameters:
    ///   - target: The target of the change. Not retained; if it has been deallocated, undoing the change does nothing.
    ///   - handler: Reverses the change, and records how to redo it.
    open func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            guard groupsByEvent else { misuse("must begin a group before registering undo") }
            openAutomaticGroup()
        }
        // What was undone cannot be redone on top of a new change.
        if !isUndoing, !isRedoing { redoStack = [] }
        let run = { [weak target] in
            if let target { handler(target) }
        }
        openGroups.last?.actions.append(.change(target: ObjectIdentifier(target), run: run))
    }

    // MARK: Undo and redo

    /// Whether there is something to undo.
    open var canUndo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty }
    }

    /// Whether there is something to redo.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// The number of closed groups that can be undone.
    open var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if there is one, and undoes the last group. Traps if more than one group is open.
    open func undo() {
        post(.NSUndoManagerCheckpoint)
        if openGroups.count == 1, !isUndoing, !isRedoing { endUndoGrouping() }
        guard openGroups.isEmpty else { misuse("undo was called with too many nested undo groups") }
        undoNestedGroup()
    }

    /// Undoes the last closed group.
    open func undoNestedGroup() {
        post(.NSUndoManagerCheckpoint)
        guard !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
        post(.NSUndoManagerWillUndoChange)
        isUndoing = true
        replay(group)
        isUndoing = false
        post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the group that was undone last.
    open func redo() {
        post(.NSUndoManagerCheckpoint)
        endEvent()
        guard !isUndoing, !isRedoing, let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        replay(group)
        isRedoing = false
        post(.NSUndoManagerDidRedoChange)
    }

    /// Runs the changes of a group in reverse order. The changes that they record form one group.
    private func replay(_ group: Group) {
        let outer = openGroups
        openGroups = [Group()]
        openGroups[0].name = group.name
        run(group)
        while openGroups.count > 1 { endUndoGrouping() }
        if let recorded = openGroups.popLast(), !recorded.actions.isEmpty { push(recorded) }
        openGroups = outer
    }

    private func run(_ group: Group) {
        for action in group.actions.reversed() {
            switch action {
            case .change(_, let change): change()
            case .group(let inner): run(inner)
            }
        }
    }

    // MARK: Removal

    /// Removes all recorded changes.
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        openGroups = []
        isAutomatic = false
        disableCount = 0
    }

    /// Removes the recorded changes of a target.
    open func removeAllActions(withTarget target: Any) {
        let identifier = ObjectIdentifier(target as AnyObject)
        undoStack.removeAll { $0.remove(identifier) }
        redoStack.removeAll { $0.remove(identifier) }
        for group in openGroups { _ = group.remove(identifier) }
    }

    // MARK: Names

    /// Sets the name of the open group: the current event's, which this call opens if nothing has changed yet. If
    /// nothing changes until the event ends, the name is that of the last group, unless it has one.
    open func setActionName(_ actionName: String) {
        // Contexts record their changes now.
        post(.NSUndoManagerCheckpoint)
        if openGroups.isEmpty, groupsByEvent, !isUndoing, !isRedoing { openAutomaticGroup() }
        (openGroups.last ?? undoStack.last)?.name = actionName
    }

    /// The name of the group that would be undone; empty if there is none.
    open var undoActionName: String { (openGroups.first { !$0.actions.isEmpty } ?? undoStack.last)?.name ?? "" }

    /// The name of the group that would be redone; empty if there is none.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// The title of the menu command.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of the menu command.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of the menu command for an action name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the title of the menu command for an action name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
}

extension Notification.Name {
    /// A group is being opened, named or closed, or `canUndo` or `canRedo` is being read.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// A group is about to be undone.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// A group is about to be redone.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// A group was undone.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// A group was redone.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
    /// A group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// A group is about to be closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// A group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
}
