internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelcDriver
internal import StoreDoctor

/// What `modelc store check` finds in the store, for the page.
package struct StoreFindings: Codable, Sendable {
    /// A finding.
    package struct Item: Codable, Sendable {
        /// The name of the rule.
        package var rule: String
        /// `error`, `warning` or `note`.
        package var severity: String
        /// The problem, in one sentence.
        package var message: String
        /// What to do about it.
        package var help: String?
        /// The name of the affected entity; `nil` if the finding is about the file.
        package var entity: String?
        /// The name of the affected property; `nil` if the finding is about whole objects.
        package var property: String?
        /// The number of affected rows.
        package var count: Int
        /// The URIs of affected objects, at most `StoreCheck.objectLimit`.
        package var objects: [String]
    }

    /// The findings, in the order of their rules.
    package var items: [Item] = []
    /// Why not everything was checked.
    package var note: String?
}

/// A check of what is saved in the store, by the rules of `modelc store check`.
///
/// It reads one state of the file through its own connection and with its own model, so it can run on any thread while
/// the store is used.
package struct StoreCheck: Sendable {
    /// The maximum number of objects that the page marks for each finding.
    package static let objectLimit = 1000

    let path: String
    /// The model that the user named; `nil` for the one in the store.
    let modelPath: String?
    let files: any FileSystem
    /// What changes whenever the store is written: a check of the same state finds the same.
    package let stamp: String

    /// Checks the store.
    ///
    /// - Throws: `StoreProblem` if the store cannot be read.
    package func run() throws(StoreProblem) -> StoreFindings {
        var options = StoreDoctor.Options()
        options.maxExamples = Self.objectLimit
        let result: StoreDoctor.Result
        do {
            var model: NSManagedObjectModel?
            if modelPath != nil {
                let found = try StoreModel.found(for: path, .sqlite, modelPath: modelPath, files)
                if !found.isFallback { model = found.model }
            }
            result = try StoreDoctor(path: files.systemPath(path), model: model, options: options).check()
        } catch let error as StoreDoctor.Failure {
            throw StoreProblem(error.message, help: "Run modelc store check on the store, or on a copy of it.")
        } catch {
            throw StoreProblem(error)
        }
        var findings = StoreFindings()
        findings.items = result.findings.map { finding in
            let diagnostic = finding.diagnostic(path: path, word: ShellWord.quoted(path))
            return StoreFindings.Item(
                rule: finding.rule.rawValue, severity: finding.severity.word, message: finding.message,
                help: diagnostic.help, entity: finding.entity, property: finding.property, count: finding.rows.count,
                objects: finding.rows.examples.filter { $0.hasPrefix("x-coredata:") })
        }
        findings.note = result.missingModel.map { "Checks that need the model did not run: \($0)." }
        return findings
    }
}
