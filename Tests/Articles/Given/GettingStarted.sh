# A clone of the repository, in which the reader stands.
ln -s "$REPOSITORY/Samples" Samples
