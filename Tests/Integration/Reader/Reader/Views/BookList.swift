import CoreData
import SwiftUI

struct BookList: View {
    @FetchRequest(sortDescriptors: []) var books: FetchedResults<Book>

    var body: some View {
        List(books, id: \.self) { Text($0.title ?? "") }
    }
}
