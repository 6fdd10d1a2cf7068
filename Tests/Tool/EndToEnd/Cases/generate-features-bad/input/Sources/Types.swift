import Foundation

enum Genre: String { case novel }
enum Kind: String { case a }
enum Sort: String { case a }
enum Level: Int { case a }
struct Notes: Codable {}
struct Size: Codable {}
enum Film { enum Status: String { case a } }
enum Play { enum Status: String { case a } }
