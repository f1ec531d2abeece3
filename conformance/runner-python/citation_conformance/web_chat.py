"""What Web Chat needs beside the right words and sources."""

import re

from .form import fault, position

_ADDRESS = re.compile(r"(cite:[!-~]+|https?://[A-Za-z0-9;/?:@&=+$,\-_.!~*'#%]+)\Z")
_DEFINITION = re.compile(r'\[([^\]\n]+)\]: *<?([^\s>]+)>?(?: +"((?:[^"\\]|\\.)*)")? *\Z')


def split(text):
    """The text without the definitions at its end, these as `(label, url, title)`, and whether a blank line is above them."""
    lines = text.split("\n")
    definitions = []
    while lines:
        match = _DEFINITION.match(lines[-1])
        if match:
            definitions.insert(0, match.groups())
        elif lines[-1].strip() or definitions:
            break
        lines.pop()
    return "\n".join(lines), definitions, not lines or not lines[-1].strip()


def shown(claim):
    """A claim as readers see it."""
    appearance = claim.get("appearance") or {}
    name = claim.get("name") if claim.get("name") is not None else appearance.get("name")
    quote = appearance.get("text") if appearance.get("text") is not None else appearance.get("abstract")
    return {"title": name, "url": appearance.get("url"), "quote": quote}


def label_of(message, entities):
    """The label of the message, with the node that a reference names."""
    usage = message.get("usageInfo")
    if not usage or not all(key.startswith("@") for key in usage):
        return usage
    nodes = [(claim.get("appearance") or {}).get("usageInfo") for claim in message.get("citation") or []] + entities
    for node in nodes:
        if node and node.get("@id") == usage.get("@id") and not all(key.startswith("@") for key in node):
            return node
    return None


def faults(activity, message, body, definitions, is_apart, numbers):
    """The faults of the form."""
    found = []
    if activity.get("textFormat") in ("plain", "xml"):
        found.append(fault("text-format", "markdown", activity["textFormat"]))
    labels, urls = [one[0] for one in definitions], [one[1] for one in definitions]
    if len(set(labels)) < len(labels):
        found.append(fault("definition-place", "each number once", ", ".join(labels)))
    if len(set(urls)) < len(urls):
        found.append(fault("definition-place", "each address once", " ".join(urls)))
    if definitions and not is_apart:
        found.append(fault("definition-place", "a blank line above the definitions", body[-40:]))
    for claim in (message or {}).get("citation") or []:
        found += _faults_of_claim(claim, definitions)
    found += [fault("definition-address", "http(s) in ASCII", url) for url in urls if not _ADDRESS.match(url)]
    for number in numbers:
        if str(number) not in labels:
            found.append(fault("dangling", f"a definition of [{number}]", ", ".join(labels) or "none"))
    touching = re.search(r"\[[0-9]+\](?=[\[({:])|[\]!]\[[0-9]+\]", without_code(body))
    if touching and any(f"[{label}]" in touching[0] for label in labels):
        at = touching.start()
        found.append(fault("adjacent", "U+200B or a blank between", body[max(0, at - 10):at + 15]))
    return found


def _faults_of_claim(claim, definitions):
    appearance = claim.get("appearance") or {}
    where, url = position(claim), appearance.get("url")
    found = []
    definition = next((one for one in definitions if one[0] == where), None)
    if definition is None:
        found.append(fault("definition", f"[{where}]: with the address of the claim", "no definition"))
    elif url is not None and definition[1] != url:
        found.append(fault("definition", url, definition[1]))
    if url is None and not isinstance(appearance.get("text"), str):
        found.append(fault("claim", "`text`, or Web Chat ends when readers press the number", "neither `url` nor `text`"))
    return found


def without_code(text):
    """A text with blanks in place of code."""
    def blank(match):
        return " " * len(match[0])
    text = re.sub(r"^( {0,3}[>\-*+ ]*)(```+|~~~+)[\s\S]*?(\n[> ]*\2[`~]* *$|\Z)", blank, text, flags=re.M)
    return re.sub(r"(?<![\\`])(`+)(?!`)([\s\S]*?[^`])\1(?!`)", blank, text)
