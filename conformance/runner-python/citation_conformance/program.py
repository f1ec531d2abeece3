"""The program under test: a command, a URL, or an adapter. Each opens as a function that answers one request."""

import importlib.util
import json
import subprocess
import threading
import urllib.error
import urllib.request

SECONDS = 60


def _parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        return {"broken": f"not JSON: {line[:200]}"}


def _lines(command):
    """A command that reads one request a line and writes one reply a line; requests wait for each other."""
    child = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    lock = threading.Lock()

    def ask(request):
        with lock:
            timer = threading.Timer(SECONDS, child.kill)
            timer.start()
            try:
                child.stdin.write(json.dumps(request) + "\n")
                child.stdin.flush()
                line = child.stdout.readline()
            except OSError as error:
                return {"broken": str(error)}
            finally:
                timer.cancel()
        return _parsed(line) if line else {"broken": "the command ended"}

    def close():
        try:
            child.stdin.close()
        except OSError:
            pass  # It has ended before.
        child.wait(SECONDS)

    return ask, close


def _once(command):
    """A command that is started for each request."""
    def ask(request):
        try:
            done = subprocess.run(command, shell=True, input=json.dumps(request).encode(), stdout=subprocess.PIPE, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"broken": f"no answer within {SECONDS} seconds"}
        return _parsed(done.stdout.decode("utf-8", "replace"))
    return ask, lambda: None


def _url(address, headers):
    """A URL to which each request is posted."""
    def ask(request):
        headers_ = {"content-type": "application/json", **headers}
        call = urllib.request.Request(address, json.dumps(request).encode(), headers_, method="POST")
        try:
            with urllib.request.urlopen(call, timeout=SECONDS) as answer:
                return _parsed(answer.read().decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            return _parsed(error.read().decode("utf-8", "replace"))
        except OSError as error:
            return {"broken": str(error)}
    return ask, lambda: None


def _adapter(file):
    """A file of Python whose function `answer` answers a request."""
    spec = importlib.util.spec_from_file_location("adapter", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def ask(request):
        try:
            return module.answer(request)
        except Exception as error:  # An adapter may fail in any way.
            return {"broken": f"{type(error).__name__}: {error}"}
    return ask, getattr(module, "close", lambda: None)


def open_program(options):
    if options.adapter:
        return _adapter(options.adapter)
    if options.url:
        return _url(options.url, options.headers)
    return _once(options.command) if options.once else _lines(options.command)
