#if SwiftData
import SwiftSyntax

/// A line of the code that `@Model` adds: a statement or an element of a list, or a directive such as `#if`.
struct CodeLine {
    let text: String
    let isCode: Bool
}

extension MemberBlockItemListSyntax {
    /// Returns lines for the members, with the directives around those in `#if` clauses: a macro sees all clauses, and
    /// cannot tell which of them is active.
    func lines(_ texts: (MemberBlockItemSyntax) -> [String]) -> [CodeLine] {
        flatMap { item -> [CodeLine] in
            guard let condition = item.decl.as(IfConfigDeclSyntax.self) else {
                return texts(item).map { CodeLine(text: $0, isCode: true) }
            }
            let clauses = condition.clauses.flatMap { clause -> [CodeLine] in
                let expression = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
                let directive = CodeLine(text: clause.poundKeyword.text + expression, isCode: false)
                guard case .decls(let inner)? = clause.elements else { return [directive] }
                return [directive] + inner.lines(texts)
            }
            return clauses.contains(where: \.isCode) ? clauses + [CodeLine(text: "#endif", isCode: false)] : []
        }
    }
}

extension [CodeLine] {
    /// Returns the body of a function that returns the lines as a list.
    func list(of type: String) -> String {
        guard contains(where: { !$0.isCode }) else {
            return "return [\n    \(map(\.text).joined(separator: ",\n    "))\n]"
        }
        let lines = map { $0.isCode ? "_$list.append(\($0.text))" : $0.text }
        return (["var _$list: [\(type)] = []"] + lines + ["return _$list"]).joined(separator: "\n")
    }
}
#endif
