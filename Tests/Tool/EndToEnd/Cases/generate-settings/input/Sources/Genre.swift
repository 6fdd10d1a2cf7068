enum Genre: String { case novel }
