"""The verdicts of the judge in Python on replies, one `[id, channel, reply]` a line."""

import json
import sys

from citation_conformance.judge import judge
from citation_conformance.vectors import data, read

vectors = {vector["id"]: vector for vector in read(data("vectors"))}
for line in sys.stdin:
    name, channel, reply = json.loads(line)
    verdict = judge(vectors[name], channel, reply)
    print(json.dumps([verdict["verdict"], sorted(fault["rule"] for fault in verdict["faults"])]))
