"""Holds the package against vectors: the same bytes as in the process that wrote them.

    python vectors.py VECTORS.JSONL
"""

import base64
import json
import sys
from collections import Counter

from citewire import CitewireError, Streaming, call_json


def outcome(call):
    """A result, or the error as the vector has it: its members in their order."""
    try:
        return call(), False
    except CitewireError as error:
        members = {"code": error.code, "detail": error.detail, "pointer": error.pointer, "event": error.event, "line": error.line}
        present = {name: value for name, value in members.items() if value is not None}
        return json.dumps(present, ensure_ascii=False, separators=(",", ":")), True


def stream(vector, body, shown):
    parameters = {"from_" if name == "from" else name: value for name, value in vector["parameters"].items()}
    streaming = Streaming(**parameters)
    for at in range(0, len(body), vector["cut"]):
        update = streaming.push(body[at : at + vector["cut"]])
        if update is not None:
            shown.append(json.dumps(update, ensure_ascii=False, separators=(",", ":")))
    return streaming.finish_json()


counts = Counter()
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        vector = json.loads(line)
        name, call = vector["name"], vector["call"]
        body = base64.b64decode(vector["base64"]) if "base64" in vector else vector["body"].encode()
        counts[call] += 1
        if call == "stream":
            shown = []
            got = outcome(lambda: stream(vector, body, shown))
            assert (*got, shown) == (vector["result"], vector["failed"], vector["updates"]), name
        else:
            got = outcome(lambda: call_json(call, body, vector["parameters"]))
            assert got == (vector["result"], vector["failed"]), f"{name}: {call}"
assert counts["convert"] > 500 and counts["stream"] > 100, "there are vectors"
print("equal bytes:", ", ".join(f"{call} {count}" for call, count in counts.items()))
