import SwiftUI

struct EntryList: View {
    @FetchRequest(sortDescriptors: []) var entries: FetchedResults<Entry>
    var body: some View { Text("\(entries.count)") }
}
