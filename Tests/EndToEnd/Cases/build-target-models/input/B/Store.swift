class Store {}
