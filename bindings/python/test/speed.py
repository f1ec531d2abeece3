"""How long a conversion takes: as text, as objects, and with passages that citations are held against.

    python speed.py
"""

import json
import time

from citewire import call_json, convert

PASSAGE = "What the document says, in one paragraph of some length, as search services return it."


def answer(**more):
    sentences = (f"Sentence {at + 1} says what the policy of the office says [{at % 3 + 1}]." for at in range(22))
    titles = ("Leave policy", "Staff handbook", "Rules of travel")
    address = "https://hr.example/documents/{}/{}"
    sources = [
        {"title": title, "url": address.format(title.lower().replace(" ", "-"), at + 1), **more}
        for at, title in enumerate(titles)
    ]
    return json.dumps({"text": " ".join(sentences), "sources": sources})


def best(call):
    times = []
    for _ in range(30):
        begun = time.perf_counter()
        for _ in range(100):
            call()
        times.append((time.perf_counter() - begun) * 1e6 / 100)
    times.sort()
    return f"{times[0]:.1f} µs at best, {times[15]:.1f} µs in the middle"


plain, quoted = answer(), answer(content=PASSAGE)
print(f"{len(plain)} bytes, as text:    {best(lambda: call_json('convert', plain))}")
print(f"{len(plain)} bytes, as objects: {best(lambda: convert(plain))}")
print(f"{len(quoted)} bytes with passages: {best(lambda: call_json('convert', quoted))}")
