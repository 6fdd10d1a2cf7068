internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// A fetch request with any type of results.
protocol FetchSettingsProviding: AnyObject {
    var settings: FetchSettings { get }
}

extension NSFetchRequest: FetchSettingsProviding {}

extension FetchSettings {
    /// Returns the settings with the results of fetch requests in place of the `FETCH` expressions in the predicate.
    func resolvingFetchExpressions() -> FetchSettings {
        guard let predicate, predicate.hasFetchExpression else { return self }
        var result = self
        result.predicate = predicate.resolvingFetchExpressions()
        return result
    }
}

extension NSPredicate {
    /// Whether the predicate contains a `FETCH` expression. Uses constant stack space, however deeply the predicate
    /// nests.
    fileprivate var hasFetchExpression: Bool {
        if let comparison = self as? TreeComparison { return comparison.containsFetch }
        guard self is NSCompoundPredicate else { return false }
        var open: [NSPredicate] = [self]
        while let next = open.popLast() {
            switch next {
            case let comparison as TreeComparison: if comparison.containsFetch { return true }
            case let compound as NSCompoundPredicate: open += compound.subpredicates
            default: break
            }
        }
        return false
    }

    fileprivate func resolvingFetchExpressions() -> NSPredicate {
        let tree = self.tree
        var boxes = tree.boxes
        let syntax = tree.syntax.mapExpressions { (expression: PredicateSyntax.Expression) in
            guard case .fetch(let fetch) = expression, let value = boxes.value(of: fetch) else { return expression }
            return .constant(boxes.constant(value))
        }
        return PredicateTree(syntax, boxes: boxes).makePredicate()
    }
}

extension OpaqueBoxes {
    /// Returns the value of a fetch expression whose request and context are constants, otherwise `nil`.
    func value(of fetch: FetchExpression) -> Any? {
        guard case .constant(.opaque(let request)) = fetch.request,
            case .constant(.opaque(let context)) = fetch.context,
            let fetcher = value(of: context) as? any FetchExpressionContext
        else { return nil }
        return fetcher.fetchExpressionValue(request: value(of: request), countOnly: fetch.countOnly)
    }
}

extension NSManagedObjectContext: FetchExpressionContext {
    /// Returns the results of a request, or their number. Dictionaries with a single column are replaced by its values,
    /// as in an SQL subselect.
    ///
    /// Traps if the request is not a fetch request, or the fetch fails: an expression cannot throw.
    package final func fetchExpressionValue(request: Any?, countOnly: Bool) -> Any? {
        guard let settings = (request as? any FetchSettingsProviding)?.settings else {
            misuse("NSInvalidArgumentException", "FETCH takes a fetch request, not \(request ?? "nil")")
        }
        do {
            if countOnly { return NSNumber(value: try resultCount(of: settings)) }
            let results: [Any] = try self.results(of: settings)
            guard settings.resultType == .dictionaryResultType, settings.propertiesToFetch?.count == 1 else {
                return results
            }
            return results.map { (($0 as? NSDictionary)?.allValues.first) ?? NSNull() }
        } catch {
            misuse("the request of a fetch expression failed: \(error)")
        }
    }
}
