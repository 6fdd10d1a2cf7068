internal import CoreData
internal import Foundation

extension ModelContext {
    /// Returns the transactions of the stores that meet a condition.
    ///
    /// - Throws: `SwiftDataError.historyTokenExpired` if the condition asks for what came after a token, and a part of
    ///   it was deleted.
    public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        if let custom = try customHistory(descriptor) { return custom }
        var found: [T] = []
        for case let transaction as T in try transactions(from: HistoryStart(descriptor.predicate)) {
            if try descriptor.predicate?.evaluate(transaction) ?? true { found.append(transaction) }
        }
        if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
        return descriptor.fetchLimit > 0 ? Array(found.prefix(Int(clamping: descriptor.fetchLimit))) : found
    }

    /// Deletes the transactions of the stores that meet a condition.
    ///
    /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` if they are not the oldest ones: a history has no
    ///   gaps.
    public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
        if try deleteCustomHistory(descriptor) { return }
        let all = try transactions(from: .beginning)
        let chosen = Set(try fetchHistory(descriptor).compactMap { $0 as? DefaultHistoryTransaction })
        // No store's history is changed if that of another one cannot be.
        var requests: [NSPersistentHistoryChangeRequest] = []
        for store in core.coordinator.persistentStores {
            let own = all.filter { $0.storeIdentifier == store.identifier }
            let kept = own.drop { chosen.contains($0) }
            guard kept.allSatisfy({ !chosen.contains($0) }) else {
                throw SwiftDataError(
                    .invalidTransactionFetchRequest,
                    "the condition must hold for the oldest transactions, because a history has no gaps: use the token or timestamp"
                )
            }
            guard kept.count < own.count, let last = own.last else { continue }
            // What was saved since the history was read stays.
            let end = kept.first?.transactionIdentifier ?? last.transactionIdentifier + 1
            let request = NSPersistentHistoryChangeRequest.deleteHistory(
                before: NSPersistentHistoryToken([last.storeIdentifier: end]))
            request.affectedStores = [store]
            requests.append(request)
        }
        for request in requests { _ = try managed.execute(request) }
    }

    private func transactions(from start: HistoryStart) throws -> [DefaultHistoryTransaction] {
        let request: NSPersistentHistoryChangeRequest
        var numbers: [String: Int64] = [:]
        switch start {
        case .beginning: request = .fetchHistory(after: Date.distantPast)
        case .date(let date): request = .fetchHistory(after: date)
        case .token(let token):
            numbers = token.tokenValue ?? [:]
            request = .fetchHistory(after: NSPersistentHistoryToken(numbers))
        }
        let result: NSPersistentHistoryResult?
        do {
            result = try managed.execute(request) as? NSPersistentHistoryResult
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
            throw SwiftDataError(.historyTokenExpired, "transactions after the token were deleted", cause: error)
        }
        let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
        // The token of a transaction is the position in all stores, so that the last one covers everything before it.
        for transaction in found where numbers[transaction.storeID] == nil {
            numbers[transaction.storeID] = transaction.transactionNumber - 1
        }
        return found.map { transaction in
            numbers[transaction.storeID] = transaction.transactionNumber
            return DefaultHistoryTransaction(
                author: transaction.author, bundleIdentifier: transaction.bundleID,
                processIdentifier: transaction.processID, storeIdentifier: transaction.storeID,
                timestamp: transaction.timestamp, token: DefaultHistoryToken(numbers),
                transactionIdentifier: transaction.transactionNumber,
                changes: (transaction.changes ?? []).compactMap { change($0, in: transaction) })
        }
    }

    private func change(
        _ change: NSPersistentHistoryChange, in transaction: NSPersistentHistoryTransaction
    ) -> HistoryChange? {
        guard let info = core.schema.classes[change.changedObjectID.entity.name ?? ""] else { return nil }
        let identifier = PersistentIdentifier(change.changedObjectID)
        let (number, owner) = (change.changeID, transaction.transactionNumber)
        func make<M: PersistentModel>(_: M.Type) -> HistoryChange {
            switch change.changeType {
            case .insert:
                return .insert(
                    DefaultHistoryInsert<M>(
                        changeIdentifier: number, transactionIdentifier: owner, changedPersistentIdentifier: identifier)
                )
            case .update:
                let names = Set((change.updatedProperties ?? []).map(\.name))
                let paths = info.properties.filter { names.contains($0.name) }
                return .update(
                    DefaultHistoryUpdate<M>(
                        changeIdentifier: number, transactionIdentifier: owner, changedPersistentIdentifier: identifier,
                        paths: paths.compactMap { info.keyPaths[$0.number] as? PartialKeyPath<M> }))
            case .delete:
                let values = info.properties.compactMap { property -> HistoryTombstone<M>.Element? in
                    guard let stored = change.tombstone?[property.name],
                        let value = property.access.value(ofStored: stored),
                        let path = info.keyPaths[property.number] as? PartialKeyPath<M>
                    else { return nil }
                    // No other code has the value that was just decoded, and `Sendable` has no representation. Without
                    // the cast, the value is taken out of `Any`.
                    return (path, unsafeBitCast(value as Any, to: (any Sendable).self))
                }
                return .delete(
                    DefaultHistoryDelete<M>(
                        changeIdentifier: number, transactionIdentifier: owner, changedPersistentIdentifier: identifier,
                        tombstone: HistoryTombstone(values)))
            }
        }
        return make(info.type)
    }
}

/// Where a history is read from: what precedes the token or date of a condition is not loaded.
enum HistoryStart {
    case beginning
    case date(Date)
    case token(DefaultHistoryToken)

    /// Finds a comparison such as `$0.token > token` among the conditions that all have to be met.
    init<T>(_ predicate: Predicate<T>?) {
        self = predicate.flatMap { Self.find(in: $0.expression) } ?? .beginning
    }

    private static func find(in expression: Any) -> HistoryStart? {
        let type = "\(Swift.type(of: expression))"
        let parts = Dictionary(
            Mirror(reflecting: expression).children.compactMap { child in child.label.map { ($0, child.value) } }
        ) { first, _ in first }
        guard let left = parts["lhs"], let right = parts["rhs"] else { return nil }
        if type.hasPrefix("Conjunction<") { return find(in: left) ?? find(in: right) }
        guard type.hasPrefix("Comparison<"), let operation = parts["op"] else { return nil }
        switch "\(operation)" {
        case "greaterThan": return start(left, right)
        case "lessThan": return start(right, left)
        default: return nil
        }
    }

    private static func start(_ property: Any, _ constant: Any) -> HistoryStart? {
        guard let keyPath = Mirror(reflecting: property).descendant("keyPath") as? AnyKeyPath,
            let value = Mirror(reflecting: constant).descendant("value")
        else { return nil }
        if keyPath == \DefaultHistoryTransaction.token, let token = value as? DefaultHistoryToken {
            return .token(token)
        }
        if keyPath == \DefaultHistoryTransaction.timestamp, let date = value as? Date { return .date(date) }
        return nil
    }
}

extension ModelContext {
    /// Returns the transactions of custom stores; `nil` if no store has transactions of the type.
    fileprivate func customHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        let found = try core.bridges.compactMap { try $0.store?.history(descriptor) }
        return found.isEmpty ? nil : found.flatMap { $0 }
    }

    /// Deletes the transactions of custom stores. Returns whether a store has transactions of the type.
    fileprivate func deleteCustomHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        try core.bridges.reduce(false) { try $1.store?.deleteHistory(descriptor) == true || $0 }
    }
}
