"""What the server answers, and to whom."""

import http.client
import json
import re
import socket

from studio_test import StudioTest


class SecurityTests(StudioTest):
    def request(self, path, method="POST", **headers):
        port = int(re.search(r":(\d+)/", self.studio.address).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        body = json.dumps({"request": {"undo": {}}}).encode()
        for name, value in {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json",
                            "Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body if method == "POST" else None)
        status = connection.getresponse().status
        connection.close()
        return status

    def test_only_the_page_is_answered(self):
        path = re.search(r":\d+(/[0-9a-f]{32}/)", self.studio.address).group(1)
        origin = self.studio.address.split(path)[0]
        self.assertEqual(self.request(path + "api", Origin=origin), 200)
        self.assertEqual(self.request(path + "api"), 403)
        self.assertEqual(self.request(path + "api", Origin="http://evil.example"), 403)
        self.assertEqual(self.request(path + "api", Origin="null"), 403)
        self.assertEqual(self.request(path + "api", Origin=origin, Host="evil.example"), 403)
        self.assertEqual(self.request(path + "api", Origin=origin, Content_Type="text/plain"), 403)
        self.assertEqual(self.request("/api", Origin=origin), 403)
        self.assertEqual(self.request("/0123456789abcdef0123456789abcdef/api", Origin=origin), 403)
        for file in ["../../../etc/passwd", "%2e%2e/secret", "events", "Library.xcdatamodeld/Library.xcdatamodel/contents"]:
            self.assertEqual(self.request(path + file, "GET", Content_Length="0"), 403)
        policy = self.driver.execute_async_script(
            "const done = arguments[0]; fetch('index.html').then(r => done(r.headers.get('content-security-policy')))")
        self.assertIn("default-src 'none'", policy)


    def test_a_head_that_is_too_long_is_rejected(self):
        port = int(re.search(r":(\d+)/", self.studio.address).group(1))

        def status(*parts):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                for part in parts:
                    connection.sendall(part)
                answer = b""
                try:
                    while part := connection.recv(4096):
                        answer += part
                except ConnectionResetError:
                    # Something that was sent was never read.
                    pass
                self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1)
                return answer.split(b"\r\n")[0].decode()
        end = f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
        self.assertEqual(status(b"GET /" + b"x" * 8000 + end + b"\r\n"), "HTTP/1.1 403 Forbidden")
        self.assertEqual(status(b"GET /" + b"x" * 262_144 + end + b"\r\n"), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET /", b"x" * 9000), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET /" + end + b"A: " + b"x" * 262_144 + b"\r\n\r\n"), "HTTP/1.1 431 Request Header Fields Too Large")
        self.assertEqual(status(b"GET / HTTP/1.1\n\nGET /" + b"x" * 262_144 + end + b"\r\n"), "HTTP/1.1 400 Bad Request")
        # A connection has one request. The answer may be lost because the rest is not read.
        answer = status(b"GET /" + end + b"Connection: keep-alive\r\n\r\nGET /" + b"x" * 262_144)
        self.assertIn(answer, ["HTTP/1.1 403 Forbidden", ""])
