"""The vectors, as they lie in their folders, and the requests that are made of them."""

import json
from pathlib import Path

_HERE = Path(__file__).parent


def data(name):
    """A file or folder that the wheel has inside, and the repository two folders above."""
    inside = _HERE / name
    return inside if inside.exists() else _HERE.parent.parent / name


def _whole(body):
    try:
        return json.loads(body)
    except ValueError:
        return body


def read(folder):
    """All vectors of a folder, in the order of their ids."""
    found = []
    for path in sorted(Path(folder).rglob("vector.json")):
        vector = json.loads(path.read_text("utf-8"))
        body = (path.parent / vector["input"]).read_bytes().decode("utf-8")
        found.append({**vector, "answer": body if vector.get("stream") else _whole(body)})
    return sorted(found, key=lambda vector: vector["id"])


def chosen(vectors, names):
    """The vectors whose ids are or begin with one of the names; all without names."""
    wanted = [name.rstrip("/") for name in names]
    return [one for one in vectors if not names or any(one["id"] == name or one["id"].startswith(f"{name}/") for name in wanted)]


def requests(vector, channels):
    """The requests of a vector, one for each channel."""
    return [
        {"id": vector["id"], "channel": channel, "format": vector["format"], "stream": bool(vector.get("stream")), "answer": vector["answer"]}
        for channel in vector["channels"]
        if not channels or channel in channels
    ]
