internal import Diagnostics

/// How far a model has to be valid for a purpose. Each level includes those before it; the rules of `modelc lint` come
/// after the last.
///
/// This is the only check of a model: each command asks for the level that it needs, so that no two of them disagree
/// about a model.
package enum ModelLevel: Int, Comparable, CaseIterable, Sendable {
    /// The file could be read. What prevents that is reported by the reader (`ModelDocument.diagnostics`).
    case readable
    /// Entities, properties and composite types have names, types and destinations, so that the model has version
    /// hashes and can be compared, locked and migrated.
    case loadable
    /// The model can be compiled, the result can be loaded, and its code can be generated. Includes the warnings of
    /// Apple's `momc`.
    case compiles

    package static func < (one: ModelLevel, other: ModelLevel) -> Bool { one.rawValue < other.rawValue }
}

extension Model {
    /// Returns what is wrong with the model up to a level, in document order. Without an error among the findings, the
    /// model reaches the level.
    package func findings(at level: ModelLevel) -> [ModelFinding] {
        guard level >= .loadable else { return [] }
        let lookup = PropertyLookup(self)
        let derivations = parsedDerivations()
        var findings = structuralFindings() + CompositeCheck(lookup).findings() + derivations.compactMap(\.finding)
        if level >= .compiles {
            findings += nameFindings() + ReferenceCheck(lookup, derivations).findings()
            findings += predicateFindings(derivations) + valueFindings()
            findings += compilerWarnings(lookup)
        }
        return findings.sortedByOrigin()
    }

    /// Returns the errors that keep the model from reaching a level, in document order.
    package func errors(at level: ModelLevel) -> [ModelFinding] { findings(at: level).errors }
}

extension [ModelFinding] {
    /// The findings that are errors.
    package var errors: [ModelFinding] { filter { $0.severity == .error } }

    /// Returns the findings in the order of the elements in the source. Those of one element keep their order.
    fileprivate func sortedByOrigin() -> [ModelFinding] {
        enumerated().sorted { one, other in
            (one.element.origin?.index ?? 0, one.offset) < (other.element.origin?.index ?? 0, other.offset)
        }.map(\.element)
    }
}
