cp -R "$REPOSITORY/Tests/Tool/EndToEnd/Cases/port/input" Journal
