"""Holds a program that makes messages of answers with sources against the vectors."""

import argparse
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .judge import CHANNELS, judge
from .program import open_program
from .report import badge, counts, explanation, junit, table
from .vectors import chosen, data, read, requests


def options(arguments):
    parser = argparse.ArgumentParser(prog="citation-conformance", description=__doc__, epilog="Exit codes: 0 no failure, 1 failures or nothing that passed, 2 invalid arguments.")
    parser.add_argument("--command", help="reads one request a line and writes one reply a line")
    parser.add_argument("--once", action="store_true", help="start the command for each request")
    parser.add_argument("--url", help="gets each request by POST")
    parser.add_argument("--header", action="append", default=[], help="NAME: VALUE")
    parser.add_argument("--adapter", help="a file of Python with a function `answer(request)`")
    parser.add_argument("--only", action="append", default=[], help="this vector or kind alone")
    parser.add_argument("--channel", action="append", default=[], choices=CHANNELS, help="this channel alone")
    parser.add_argument("--list", action="store_true", help="print the ids of the vectors")
    parser.add_argument("--jobs", type=int, default=8, help="ask for so many replies at a time")
    parser.add_argument("--failures", type=int, default=20, help="explain at most so many failures")
    parser.add_argument("--junit")
    parser.add_argument("--badge")
    parser.add_argument("--json")
    parser.add_argument("--vectors", default=str(data("vectors")))
    given = parser.parse_args(arguments)
    if not given.list and sum(one is not None for one in (given.command, given.url, given.adapter)) != 1:
        parser.error("name one program: --command, --url or --adapter")
    headers = [re.match(r"([^:]+):\s*(.*)\Z", header) or parser.error(f"{header} is no header") for header in given.header]
    given.headers = {match[1]: match[2] for match in headers}
    return parser, given


def run(vectors, ask, given):
    """The results of all requests, in their order."""
    asked = [(vector, request) for vector in vectors for request in requests(vector, given.channel)]

    def one(pair):
        vector, request = pair
        reply = ask(request)
        if isinstance(reply, dict) and reply.get("broken"):
            verdict = {"verdict": "failed", "faults": [{"rule": "reply", "expected": "a reply", "came": reply["broken"]}]}
        else:
            verdict = judge(vector, request["channel"], reply)
        return {"id": vector["id"], "channel": request["channel"], "shows": vector["shows"], **verdict}

    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        return list(pool.map(one, asked))


def started():
    """How this program was started: as a module, or by its name."""
    return "python -m citation_conformance" if sys.argv[0].endswith("__main__.py") else "citation-conformance"


def repeated(given):
    """The command that repeats this run."""
    if given.adapter:
        program = f"--adapter {given.adapter}"
    elif given.url:
        program = f"--url {given.url}"
    else:
        program = f"--command {json.dumps(given.command)}{' --once' if given.once else ''}"
    return f"{started()} {program}"


def main(arguments=None):
    parser, given = options(arguments)
    vectors = chosen(read(given.vectors), given.only)
    if not vectors:
        parser.error(f"no vector is called {' or '.join(given.only)}")
    if given.list:
        print("\n".join(f"{vector['id']}  {vector['shows']}" for vector in vectors))
        return 0
    if not any(requests(vector, given.channel) for vector in vectors):
        parser.error(f"none of these vectors is for {' or '.join(given.channel)}")
    rules = json.loads(data("rules.json").read_text("utf-8"))
    ask, close = open_program(given)
    results = run(vectors, ask, given)
    close()
    failed = [result for result in results if result["verdict"] == "failed"]
    for result in failed[:given.failures]:
        print(explanation(result, rules, repeated(given)), end="\n\n")
    if len(failed) > given.failures:
        print(f"… and {len(failed) - given.failures} more failures\n")
    print(table(results))
    is_empty = all(result["verdict"] == "unsupported" for result in results)
    if is_empty:
        print("\nThe program supports nothing of what was asked, so nothing passed.")
    for path, text in ((given.junit, lambda: junit(results, rules)), (given.badge, lambda: badge(results))):
        if path:
            Path(path).write_text(text(), "utf-8")
    if given.json:
        Path(given.json).write_text(json.dumps({"counts": counts(results), "results": results}, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 1 if failed or is_empty else 0


def entry():
    sys.exit(main())


if __name__ == "__main__":
    entry()
