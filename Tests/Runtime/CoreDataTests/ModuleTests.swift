import CoreData
import Testing

@Suite struct ModuleTests {
    @Test func theModuleExportsFoundation() {
        #expect(Date(timeIntervalSinceReferenceDate: 0).timeIntervalSince1970 == 978_307_200)
    }
}
