"""What must hold in a reply, and what does not."""

import json
import re

from . import teams, web_chat
from .form import fault, number, position
from .sources import faults_of_source, keys_of, name_of
from .text import align

CHANNELS = ["neutral", "web-chat", "teams", "m365-copilot", "plain"]


def judge(vector, channel, reply):
    """The verdict on the reply to one request, as `{"verdict", "faults"}`."""
    if isinstance(reply, dict) and isinstance(reply.get("unsupported"), str):
        return {"verdict": "unsupported", "why": reply["unsupported"], "faults": []}
    expected = {**vector["expect"], **vector["channels"][channel]}
    faults = list({json.dumps(one): one for one in _judged(vector["sources"], expected, channel, reply)}.values())
    return {"verdict": "failed" if faults else "passed", "faults": faults}


def _judged(sources, expected, channel, reply):
    why = reply.get("refused") if isinstance(reply, dict) else None
    refused = isinstance(why, str)
    if expected.get("refused") or refused:
        if expected.get("refused") and refused:
            return []
        return [fault("refused", "a refusal" if expected.get("refused") else "an answer", why or "an answer")]
    parts = _neutral(reply) if channel == "neutral" else _activity(reply, channel)
    if "fault" in parts:
        return [parts["fault"]]
    faults, numbers = _faults_of_text(sources, expected, channel, parts)
    faults += _faults_of_fragments(expected, channel, parts) + parts.get("form_faults", [])
    if channel == "web-chat":
        faults += web_chat.faults(parts["last"], parts["message"], parts["body"], *parts["definitions"], numbers)
    elif channel in ("teams", "m365-copilot"):
        faults += teams.faults(parts["last"], parts["message"], numbers, channel == "m365-copilot")
    faults += _faults_of_label(expected, parts)
    return faults + (_faults_of_stream(parts["updates"], channel) if parts.get("updates") else [])


def _short(value):
    return json.dumps(value, ensure_ascii=False)[:200]


def _neutral(reply):
    if not isinstance(reply, dict) or not isinstance(reply.get("text"), str) or not isinstance(reply.get("sources"), list):
        return {"fault": fault("reply", "{text, sources}", _short(reply))}
    shown = {at + 1: source for at, source in enumerate(reply["sources"])}
    all_ = json.dumps(reply, ensure_ascii=False)
    return {"text": reply["text"], "body": reply["text"], "shown": shown, "all": all_, "complete": reply.get("complete") is not False}


def _things(entities):
    return [one for one in entities if str(one.get("type")).startswith("https://schema.org/")]


def _activity(reply, channel):
    """The parts of an activity, or of the last one of a list."""
    list_ = reply if isinstance(reply, list) else [reply]
    last = list_[-1] if list_ else None
    text = last.get("text") if isinstance(last, dict) else None
    if not isinstance(text, str) or last.get("type") != "message":
        return {"fault": fault("reply", 'a message: {"type": "message", "text": …}', _short(last))}
    parts = {"text": text, "all": json.dumps(last, ensure_ascii=False), "updates": list_ if len(list_) > 1 else None, "last": last}
    if channel == "plain":
        body, shown = _plain_list(text)
        return {**parts, "body": body, "shown": shown}
    entities = last.get("entities") or []
    messages = [one for one in _things(entities) if one.get("@id") == ""]
    message = messages[0] if messages else None
    shown = {number(claim): web_chat.shown(claim) for claim in (message or {}).get("citation") or []}
    parts = {**parts, "entities": entities, "message": message, "form_faults": _faults_of_message(entities, messages)}
    if channel != "web-chat":
        return {**parts, "body": text, "shown": shown}
    body, definitions, is_apart = web_chat.split(text)
    for label, url, title in definitions:
        shown.setdefault(number({"position": label}), {"title": title, "url": url})
    return {**parts, "body": body, "definitions": (definitions, is_apart), "shown": shown}


def _plain_list(text):
    """A text whose last lines list its sources."""
    lines, shown = text.split("\n"), {}
    while lines:
        match = re.match(r"\[([0-9]+)\]:? +(.*)\Z", lines[-1])
        if match:
            shown[int(match[1])] = {"line": match[2]}
        elif lines[-1].strip() or shown:
            break
        lines.pop()
    return "\n".join(lines), dict(reversed(shown.items()))


def _faults_of_message(entities, messages):
    faults = []
    for thing in _things(entities):
        if thing.get("@context") != "https://schema.org" or not isinstance(thing.get("@type"), str) or thing.get("@id") != "":
            form = {key: thing.get(key) for key in ("@context", "@type", "@id")}
            faults.append(fault("message-entity", '@context "https://schema.org", @type, @id ""', form))
    if len(messages) > 1:
        faults.append(fault("message-entity", "one Message", len(messages)))
    claims = (messages[0].get("citation") or []) if messages else []
    positions = [position(claim) for claim in claims]
    if len(set(positions)) < len(positions):
        faults.append(fault("claim", "each position once", ", ".join(positions)))
    for claim in claims:
        appearance = claim.get("appearance") or {}
        names = (claim.get("name"), appearance.get("name"))
        is_named = any(isinstance(name, str) and name.strip() for name in names)
        if claim.get("@type") != "Claim" or not isinstance(appearance.get("@type"), str) or not is_named:
            faults.append(fault("claim", "@type Claim, appearance with @type and name", f"claim {position(claim)}"))
    return faults


def _faults_of_text(sources, expected, channel, parts):
    """Whether the words are there, each number is where it must be, and leads where it must; and the numbers."""
    limit = 80 if channel in ("teams", "m365-copilot") else None
    reads = expected["reads"] if isinstance(expected["reads"], list) else [expected["reads"]]
    tries = [_faults_of_reading(sources, one, parts, limit, channel == "neutral") for one in reads]
    faults, numbers = min(tries, key=lambda one: len(one[0]))
    return faults + _faults_of_list(sources, expected, channel, parts["shown"], numbers, limit), numbers


def _faults_of_reading(sources, reads, parts, limit, needs_passage):
    groups, difference = align(reads, parts["body"])
    faults = [fault("text", *difference)] if difference else []
    for keys, numbers, place in groups:
        rest = list(dict.fromkeys(keys))
        for one in dict.fromkeys(numbers):
            source = parts["shown"].get(one)
            if source is None:
                faults.append(fault("dangling", f"a source for [{one}] at {place}", "none"))
                continue
            key = next((key for key in rest if not faults_of_source(sources[key], source, limit, needs_passage)), None)
            if key is not None:
                rest.remove(key)
            elif rest:
                faults += _mismatch(sources, rest.pop(0), source, limit, needs_passage, place)
            else:
                faults.append(fault("place", f"no number at {place}", f"[{one}] {name_of(source)}"))
        faults += [fault("place", f'the number of "{key}" at {place}', "none") for key in rest]
    return faults, [one for _, numbers, _ in groups for one in numbers]


def _mismatch(sources, key, shown, limit, needs_passage, place):
    """The faults of a source at a place where another one, or another form of it, is expected."""
    other = next((one for one in keys_of(sources, shown, limit) if one != key), None)
    if other is not None:
        return [fault("wrong-source", f'"{key}" at {place}', f'"{other}": {name_of(shown)}')]
    found = faults_of_source(sources[key], shown, limit, needs_passage)
    return [{**one, "expected": f"{one['expected']}, at {place}"} for one in found]


def _faults_of_list(sources, expected, channel, shown, numbers, limit):
    """The faults of the list of sources: invented, uncited, missing ones."""
    faults, listed = [], expected.get("listed", [])
    # Teams draws a claim only where its number stands in the text.
    is_read = channel in ("web-chat", "plain")
    keys = {one: keys_of(sources, source, limit) for one, source in shown.items()}
    for one, source in shown.items():
        if one in numbers:
            continue
        if not keys[one]:
            faults.append(fault("invented", "a source of the input", f"[{one}] {name_of(source)}"))
        elif is_read and not any(key in listed for key in keys[one]):
            faults.append(fault("uncited", "cited sources alone", f"[{one}] {name_of(source)}"))
    found = {key for some in keys.values() for key in some}
    if channel == "neutral":
        faults += [fault("named", f'"{key}": {name_of(sources[key])}', "no such source") for key in sources if key not in found]
    if is_read:
        faults += [fault("listed", f'"{key}"', "no such source") for key in listed if key not in found]
    return faults


def _faults_of_fragments(expected, channel, parts):
    seen = re.sub("[\u200a\u200b]", "", parts["body"])
    faults = [fault("kept", kept, _around(parts["body"], kept)) for kept in expected.get("kept", []) if kept not in seen]
    for absent in expected.get("absent", []):
        if json.dumps(absent, ensure_ascii=False)[1:-1] in parts["all"]:
            faults.append(fault("absent", f"no {absent}", _around(parts["text"], absent)))
    if expected.get("complete") is False and channel == "neutral" and parts["complete"]:
        faults.append(fault("complete", '"complete": false', "an answer that passes for a whole one"))
    return faults


def _around(text, fragment):
    at = max(0, text.find(fragment) - 20)
    return text[at:at + 80]


def _faults_of_label(expected, parts):
    if "label" not in expected or "entities" not in parts:
        return []
    label = web_chat.label_of(parts["message"], parts["entities"]) if parts["message"] else None
    wanted, name = (expected["label"] or {}).get("name"), (label or {}).get("name")
    if wanted is None:
        return [fault("label", "none", name)] if label else []
    return [] if name == wanted else [fault("label", wanted, name or "none")]


def _metadata(activity):
    info = [one for one in activity.get("entities") or [] if one.get("type") == "streaminfo"]
    return info[0] if info else activity.get("channelData") or {}


def _faults_of_stream(updates, channel):
    faults = []
    for at, update in enumerate(updates[:-1]):
        kind, sequence = _metadata(update).get("streamType"), _metadata(update).get("streamSequence")
        if update.get("type") != "typing" or kind not in ("informative", "streaming") or sequence != at + 1:
            faults.append(fault("stream", f"typing, streaming, {at + 1}", f"{update.get('type')}, {kind}, {sequence}"))
    end = _metadata(updates[-1])
    if end.get("streamType") != "final" or "streamSequence" in end:
        faults.append(fault("stream", "final", end))
    texts = [one.get("text") or "" for one in updates if _metadata(one).get("streamType") != "informative"]
    for before, text in zip(texts, texts[1:]) if channel != "web-chat" else []:
        if not text.startswith(before):
            faults.append(fault("stream-prefix", before[-60:], text[:60]))
    return faults
