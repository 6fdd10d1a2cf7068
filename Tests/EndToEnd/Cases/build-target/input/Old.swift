let nothing = "to do"
