import Alamofire

func load() {}
