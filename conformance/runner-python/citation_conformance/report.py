"""What the runner says: a table, an explanation of each failure, JUnit's XML and a badge."""

import re
from xml.sax.saxutils import quoteattr, escape

VERDICTS = ["passed", "failed", "unsupported"]


def _kind(result):
    return result["id"].split("/")[0]


def _short(text, length=160):
    # Control characters and letters that turn the direction are not for terminals.
    line = re.sub("[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]", "\ufffd", re.sub(r"\s+", " ", str(text)))
    return f"{line[:length]}…" if len(line) > length else line


def counts(results):
    return {verdict: sum(result["verdict"] == verdict for result in results) for verdict in VERDICTS}


def by_kind(results):
    kinds = {}
    for result in results:
        kinds.setdefault(_kind(result), []).append(result)
    return kinds


def table(results):
    """A table with a line for each kind of vector."""
    rows = [(kind, counts(own)) for kind, own in by_kind(results).items()] + [("all", counts(results))]
    lines = [f"{'kind':<14}" + "".join(f"{verdict:>12}" for verdict in VERDICTS)]
    lines += [f"{kind:<14}" + "".join(f"{row[verdict]:>12}" for verdict in VERDICTS) for kind, row in rows]
    return "\n".join(lines)


def explanation(result, rules, repeat):
    """What was expected, what came, and why, in at most ten lines."""
    first, *others = result["faults"]
    lines = [
        f"FAILED {result['id']} · {result['channel']}",
        f"  shows     {_short(result['shows'])}",
        f"  rule      {first['rule']}: {rules[first['rule']]['says']}",
        f"  expected  {_short(first['expected'])}",
        f"  came      {_short(first['came'])}",
        f"  why       {rules[first['rule']]['page']}",
    ]
    if others:
        lines.append(f"  also      {', '.join(dict.fromkeys(one['rule'] for one in others))}")
    lines.append(f"  repeat    {repeat} --only {result['id']} --channel {result['channel']}")
    return "\n".join(lines)


def _clean(text):
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(text))


def _case(result, rules):
    start = f"    <testcase classname={quoteattr(result['id'])} name={quoteattr(result['channel'])}"
    if result["verdict"] == "passed":
        return f"{start}/>"
    if result["verdict"] == "unsupported":
        return f"{start}><skipped message={quoteattr(_clean(_short(result['why'])))}/></testcase>"
    faults = result["faults"]
    text = "\n\n".join(f"{one['rule']}: {rules[one['rule']]['says']}\nexpected {one['expected']}\ncame {one['came']}" for one in faults)
    about = f"type={quoteattr(faults[0]['rule'])} message={quoteattr(_clean(_short(faults[0]['came'])))}"
    return f"{start}><failure {about}>{escape(_clean(text))}</failure></testcase>"


def junit(results, rules):
    """JUnit's XML: a suite for each kind, a case for each vector and channel."""
    suites = []
    for kind, own in by_kind(results).items():
        row = counts(own)
        cases = "\n".join(_case(result, rules) for result in own)
        head = f'name="{kind}" tests="{len(own)}" failures="{row["failed"]}" skipped="{row["unsupported"]}"'
        suites.append(f"  <testsuite {head}>\n{cases}\n  </testsuite>")
    body = "\n".join(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="citation-conformance">\n{body}\n</testsuites>\n'


def badge(results):
    """A badge: how many of the supported cases pass."""
    row = counts(results)
    every = row["passed"] + row["failed"]
    said = f"{row['passed']} of {every}"
    share = row["passed"] / every if every else 0
    color = "#6e7781" if not every else "#1a7f37" if not row["failed"] else "#9a6700" if share >= 0.9 else "#cf222e"
    left, right = 126, 7 * len(said) + 14

    def number(value):
        return str(int(value)) if value == int(value) else str(value)

    def text(x, words):
        return f'<text x="{number(x)}" y="14">{words}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="citation conformance: {said}">'
        f'<rect width="{left + right}" height="20" rx="3" fill="#444"/>'
        f'<path fill="{color}" d="M{left} 0h{right - 3}q3 0 3 3v14q0 3-3 3h-{right - 3}z"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'{text(left / 2, "citation conformance")}{text(left + right / 2, said)}</g></svg>\n'
    )
