"""A chat endpoint on this machine, with answers that are known beforehand."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ERROR = "boom"  # the answer that is an error of the endpoint


def _chunk(delta, reason=None):
    choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def _stream(answer):
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}
    chunks = [_chunk({"role": "assistant", "content": answer}), _chunk({}, "stop"), _chunk({}) | usage]
    return "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n"


@contextmanager
def endpoint(answers):
    """Serve the answers to each question in turn; the question is the last message, without its question mark."""
    left = {question: list(each) for question, each in answers.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = left[body["messages"][-1]["content"].rstrip("?")].pop(0)
            reply = b"" if answer == ERROR else _stream(answer).encode()
            self.send_response(400 if answer == ERROR else 200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
