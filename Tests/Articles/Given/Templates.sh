cp -R "$REPOSITORY/Tests/EndToEnd/Cases/templates-import/input/Templates" .
