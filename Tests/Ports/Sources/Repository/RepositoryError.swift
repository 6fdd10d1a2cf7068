public enum RepositoryError: Error {
    case emptyName
}
