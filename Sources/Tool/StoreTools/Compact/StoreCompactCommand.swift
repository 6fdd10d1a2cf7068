internal import Diagnostics
internal import Foundation
package import ModelcDriver
internal import StoreDoctor

extension StoreCompactCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            try environment.files.requireStore(path)
            let options = options
            let plan = try reporting(environment) { () throws(StoreDoctor.Failure) in
                try CompactionPlan(
                    path: environment.files.systemPath(path), isInPlace: isInPlace, options)
            }
            show(plan, environment)
            if isDryRun { return .success }
            let moved = try isInPlace ? compactInPlace(options, environment) : compactCopy(plan, options, environment)
            summarize(plan, moved: moved, environment)
            return .success
        }
    }

    private var options: CompactionPlan.Options {
        var options = CompactionPlan.Options()
        options.rebuilds = rebuilds
        options.isSecure = isSecure
        options.unowned = unowned
        switch history {
        case nil: options.history = .none
        case "all": options.history = .all
        case let days?: options.history = .before(options.now - (Double(days) ?? 0) * 86_400)
        }
        return options
    }

    private func reporting<Value>(
        _ environment: DriverEnvironment, _ body: () throws(StoreDoctor.Failure) -> Value
    ) throws(InputFailure) -> Value {
        do throws(StoreDoctor.Failure) {
            return try body()
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }

    // MARK: Work

    /// Returns the number of orphaned files that were moved.
    private func compactInPlace(
        _ options: CompactionPlan.Options, _ environment: DriverEnvironment
    ) throws(InputFailure) -> Int {
        let location = try StoreCopyLocation(holding: path, environment)
        defer { location.discard() }
        guard let hold = location.hold else { return 0 }
        // The store may have changed since the plan was shown.
        let plan = try reporting(environment) { () throws(StoreDoctor.Failure) in
            try hold.compactionPlan(options, link: environment.files.systemPath(path))
        }
        let compactor = StoreCompactor(plan, options)
        try reporting(environment) { () throws(StoreDoctor.Failure) in
            try ProgressBar(environment, label: path).run { () throws(StoreDoctor.Failure) in
                guard plan.strategy == .rebuild else { return try compactor.compact(hold) }
                try compactor.purge(hold)
                try compactor.rebuild(hold, by: location.temporaryPath)
            }
        }
        return try reporting(environment) { () throws(StoreDoctor.Failure) in
            try plan.orphans.setAside(
                ofStoreAt: environment.files.systemPath(path), in: environment.files.systemPath(path + ".orphans"),
                copies: false)
        }
    }

    /// Returns the number of orphaned files that were copied.
    private func compactCopy(
        _ plan: CompactionPlan, _ options: CompactionPlan.Options, _ environment: DriverEnvironment
    ) throws(InputFailure) -> Int {
        let output = self.output.path ?? path
        let compactor = StoreCompactor(plan, options)
        let location = try StoreCopyLocation(for: output, of: path, replaces: self.output.replaces, environment)
        defer { location.discard() }
        try reporting(environment) { () throws(StoreDoctor.Failure) in
            try ProgressBar(environment, label: path).run { () throws(StoreDoctor.Failure) in
                try compactor.copy(environment.files.systemPath(path), to: location.temporaryPath)
            }
        }
        try location.commit()
        return try reporting(environment) { () throws(StoreDoctor.Failure) in
            try plan.orphans.setAside(
                ofStoreAt: environment.files.systemPath(path), in: environment.files.systemPath(output + ".orphans"),
                copies: true)
        }
    }

    // MARK: Output

    private func show(_ plan: CompactionPlan, _ environment: DriverEnvironment) {
        environment.errorLine(
            "modelc: \(path): \(ByteCount.text(plan.size)), \(ByteCount.text(plan.freeBytes)) in free pages")
        if let newest = plan.newestPurged {
            let date = DateText.text(ofSeconds: newest) ?? "\(newest) seconds since 2001"
            environment.errorLine(
                "modelc: history to purge: \(counted(plan.transactions, "transaction")) with "
                    + "\(counted(plan.changes, "change")), until \(date)")
        }
        for rows in plan.unowned where rows.count > 0 {
            environment.errorLine(
                "modelc: objects of “\(rows.entity)” without an owner: \(rows.count), \(ByteCount.text(rows.bytes))")
        }
        if !plan.orphans.names.isEmpty {
            environment.errorLine("modelc: external files without a row: \(plan.orphans.names.count)")
        }
        if plan.areOrphansUnknown {
            environment.errorLine(
                "modelc: external files stay, because a store beside this one, with which it shares them, cannot be read"
            )
        }
        let how =
            !isInPlace
            ? "in a copy"
            : plan.strategy == .incremental ? "in place, in steps" : "in place, by a new copy of what is in use"
        environment.errorLine("modelc: \(how): at most \(ByteCount.text(plan.bound)) of additional disk space")
    }

    private func summarize(_ plan: CompactionPlan, moved: Int, _ environment: DriverEnvironment) {
        let output = self.output.path ?? path
        var size: Int64 = 0
        if case .file(let bytes)? = environment.files.kind(of: output) { size = Int64(bytes) }
        environment.errorLine("modelc: \(output): \(ByteCount.text(plan.size)) → \(ByteCount.text(size))")
        if moved > 0 {
            environment.errorLine(
                "modelc: \(counted(moved, "external file")) \(isInPlace ? "moved" : "copied") to "
                    + "\(output).orphans")
        }
    }
}
