"""Web servers on this machine that misbehave."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINE = b"a,q1,1,1\n"
TABLE = b"model,question,trial,correct\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,1\n"


class Handler(BaseHTTPRequestHandler):
    """Answers ``/slow.csv`` as ``slow`` does, whatever the method."""

    def do_GET(self):
        try:
            getattr(self, self.path.strip("/").partition(".")[0])()
        except OSError:
            self.close_connection = True  # the client has gone

    do_HEAD = do_GET

    def log_message(self, *_):
        pass

    def head(self, code=200, **headers):
        self.send_response(code)
        self.send_header("Content-Type", "text/csv")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def right(self):
        self.head(Content_Length=len(TABLE))
        self.wfile.write(TABLE)

    def unsized(self):
        self.head()
        self.wfile.write(TABLE)

    def slow(self):
        self.head(Content_Length=len(TABLE))
        for byte in TABLE:
            self.wfile.write(bytes([byte]))
            time.sleep(0.01)

    def drip(self):
        self.head(Content_Length=1 << 20)
        self.wfile.write(TABLE)
        while not self.server.is_over.wait(0.05):
            self.wfile.write(b"a")

    def silent(self):
        self.head(Content_Length=len(TABLE))
        self.wfile.write(TABLE[:40])
        self.server.is_over.wait()

    def mute(self):
        self.server.is_over.wait()

    def endless(self):
        self.head()
        self.wfile.write(TABLE)
        while not self.server.is_over.is_set():
            self.wfile.write(LINE * 1000)

    def redirected(self):
        self.head(302, Location="/right.csv")

    def circle(self):
        self.head(302, Location="/circle.csv")

    def too_long(self):
        self.head(Content_Length=len(TABLE) + 1000)
        self.wfile.write(TABLE)

    def closing(self):
        self.head(Transfer_Encoding="chunked")
        self.wfile.write(b"%x\r\n%s\r\n" % (len(TABLE), TABLE))

    def broken(self):
        self.head(500)

    def forbidden(self):
        self.head(403)

    def missing(self):
        self.head(404)

    def page(self):
        self.head()
        self.wfile.write(b"<html><body>log in first, please</body></html>")


@contextmanager
def server():
    """Serve, and give the address."""
    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.is_over = threading.Event()
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{web.server_port}"
    finally:
        web.is_over.set()
        web.shutdown()
        thread.join()
        web.server_close()
