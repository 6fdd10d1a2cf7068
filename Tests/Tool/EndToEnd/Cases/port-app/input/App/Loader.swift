import Foundation

struct Loader {
    var url: URL
    func load() async throws -> Data { try await URLSession.shared.data(for: URLRequest(url: url)).0 }
    let model = Bundle.main.url(forResource: "Model", withExtension: "momd")
}
