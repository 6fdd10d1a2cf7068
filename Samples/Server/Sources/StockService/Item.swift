import CoreData
import Hummingbird

/// An item as clients see it.
struct Item: ResponseCodable, Equatable {
    let name: String
    let count: Int64

    init(name: String, count: Int64) throws {
        guard (1...500).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw HTTPError(.badRequest, message: "a name has 1 to 500 bytes, none of them zero")
        }
        guard count >= 0 else { throw HTTPError(.badRequest, message: "a count is not negative") }
        self.name = name
        self.count = count
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(name: values.decode(String.self, forKey: .name), count: values.decode(Int64.self, forKey: .count))
    }

    init(_ object: NSManagedObject) {
        name = object.value(forKey: "name") as? String ?? ""
        count = object.value(forKey: "count") as? Int64 ?? 0
    }

    /// The entity tag. The count identifies the content, because the name is part of the URL.
    var tag: String { "\"\(count)\"" }

    /// Returns the response for the item.
    func response(_ status: HTTPResponse.Status, from request: Request, context: some RequestContext) throws -> Response
    {
        var response = try response(from: request, context: context)
        response.status = status
        response.headers[.eTag] = tag
        return response
    }
}

/// A part of the list of items.
struct Page: ResponseEncodable {
    let items: [Item]
    /// The value of `after` for the next page; `nil` on the last one.
    let next: String?
}
