import Alamofire
import CoreData

func upload(_ book: Book) { AF.request("https://example.org/books/\(book.title ?? "")") }
