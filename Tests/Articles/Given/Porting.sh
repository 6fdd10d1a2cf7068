cp -R "$REPOSITORY/Tests/EndToEnd/Cases/port/input" Journal
