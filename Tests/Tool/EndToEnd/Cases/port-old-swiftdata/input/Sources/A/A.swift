import SwiftData

@Model final class A {
    var name = ""

    init() {}
}
