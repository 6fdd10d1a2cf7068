import SwiftUI

struct ItemView: View { var body: some View { Text("") } }
