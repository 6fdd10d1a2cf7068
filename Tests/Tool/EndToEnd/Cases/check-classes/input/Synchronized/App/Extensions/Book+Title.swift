extension Book {
    @NSManaged var title: String?
}
