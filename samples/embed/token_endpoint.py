"""Serves page.html, and gives it tokens for the chat at POST /token. The guide is docs/start/embed.md."""
import json, os, urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

CITEWIRE_URL, SECRET = os.environ["CITEWIRE_URL"], os.environ["CITEWIRE_DIRECT_LINE_SECRET"]
SITE = os.environ.get("SITE", "http://127.0.0.1:8080")


class Site(SimpleHTTPRequestHandler):
    def do_POST(self):
        # Put here how your site knows who is signed in, and give nobody else a token.
        user = {"id": "dl_ann", "name": "Ann"}
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
        body = json.dumps({"user": user, "trustedOrigins": [SITE]}).encode()
        request = urllib.request.Request(f"{CITEWIRE_URL}/v3/directline/tokens/generate", body, headers)
        try:
            status, text = 200, urllib.request.urlopen(request, timeout=10).read()
        except OSError as error:
            self.log_error("no token: %s", error)
            status, text = 502, b'{"detail": "There is no token for the chat at the moment."}'
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text)


server = ThreadingHTTPServer((urlsplit(SITE).hostname, urlsplit(SITE).port), Site)
print(f"Open {SITE}/page.html", flush=True)
server.serve_forever()
