import ModelSource
import Testing

@Suite struct ModelBundleTests {
    private func bundle(_ names: [String], current: String? = nil) -> ModelBundle {
        ModelBundle(
            name: "M", path: "M.xcdatamodeld", versionNames: names,
            currentVersionFile: current.map { CurrentVersionFile(bytes: Array($0.utf8), path: ".xccurrentversion") })
    }

    private func plist(_ body: String) -> String { "<plist version=\"1.0\"><dict>\(body)</dict></plist>" }

    @Test func sortsVersionsNaturally() {
        #expect(
            bundle(["M 10", "M", "M 2", "M 1.10", "M 1.9", "M 02"]).versionNames
                == ["M", "M 1.9", "M 1.10", "M 02", "M 2", "M 10"])
    }

    @Test func usesTheOnlyVersion() throws {
        #expect(try bundle(["M"]).version(requested: nil) == "M")
        #expect(try bundle(["M"], current: plist("")).version(requested: nil) == "M")
    }

    @Test func usesTheCurrentVersion() throws {
        let current = plist(
            "<key>other</key><string>M</string><key>_XCCurrentVersionName</key>\n<string>M 2.xcdatamodel</string>")
        #expect(try bundle(["M", "M 2"], current: current).version(requested: nil) == "M 2")
        #expect(try bundle(["M", "M 2"], current: current).version(requested: "M") == "M")
        #expect(try bundle(["M", "M 2"], current: current).version(requested: "M.xcdatamodel") == "M")
    }

    @Test func explainsMissingVersions() {
        func reason(_ bundle: ModelBundle, _ requested: String? = nil) -> ModelBundle.Reason? {
            do throws(ModelBundle.NoVersion) {
                _ = try bundle.version(requested: requested)
                return nil
            } catch {
                #expect(!error.diagnostics.isEmpty)
                return error.reason
            }
        }
        #expect(reason(bundle([])) == .noModel)
        #expect(reason(bundle(["M", "N"])) == .wrongBundle)
        #expect(reason(bundle(["M"]), "N") == .wrongRequest)
        #expect(reason(bundle(["M"], current: "garbage")) == .wrongBundle)
        let gone = plist("<key>_XCCurrentVersionName</key><string>N.xcdatamodel</string>")
        #expect(reason(bundle(["M"], current: gone)) == .wrongBundle)
    }
}
