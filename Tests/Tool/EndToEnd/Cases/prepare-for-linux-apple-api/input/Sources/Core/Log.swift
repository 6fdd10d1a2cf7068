import os

let logger = Logger()
