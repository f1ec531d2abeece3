"""What Teams needs beside the right words and sources, and Microsoft 365 Copilot with it."""

import re

from .form import fault, position
from .sources import units
from .web_chat import without_code

_ICONS = {
    "Microsoft Word", "Microsoft Excel", "Microsoft PowerPoint", "Microsoft OneNote", "Microsoft SharePoint", "Microsoft Visio",
    "Microsoft Loop", "Microsoft Whiteboard", "Adobe Illustrator", "Adobe Photoshop", "Adobe InDesign", "Adobe Flash", "Sketch",
    "Source Code", "Image", "GIF", "Video", "Sound", "ZIP", "Text", "PDF",
}
_CARD = "application/vnd.microsoft.card.adaptive"


def _faults_of_claim(claim):
    appearance = claim.get("appearance") or {}
    at = f"claim {position(claim)}"
    found = []
    name, abstract, keywords = appearance.get("name"), appearance.get("abstract") or "", appearance.get("keywords") or []
    text, encoding, image, url = (appearance.get(key) for key in ("text", "encodingFormat", "image", "url"))
    if isinstance(name, str) and units(name) > 80:
        found.append(fault("teams-limits", "a name of at most 80", f"{at}: {units(name)}"))
    if units(abstract) > 480:
        found.append(fault("teams-limits", "an abstract of at most 480", f"{at}: {units(abstract)}"))
    if len(keywords) > 3 or any(units(word) > 28 for word in keywords):
        found.append(fault("teams-limits", "three keywords of 28", f"{at}: {keywords}"))
    if (text is None) != (encoding is None):
        found.append(fault("teams-fields", "`text` and `encodingFormat`, or neither", f"{at}: {encoding or 'no format'}"))
    if encoding is not None and encoding != _CARD:
        found.append(fault("teams-fields", _CARD, f"{at}: {encoding}"))
    if image is not None and image.get("name") not in _ICONS:
        found.append(fault("teams-fields", "an icon of the list", f"{at}: {image.get('name')}"))
    if url is not None and not re.match(r"https?://", url, re.I):
        found.append(fault("teams-fields", "http(s)", f"{at}: {url}"))
    return found


def _faults_of_labels(message):
    """One label on a claim needs its twin on the message."""
    own, keys = message.get("usageInfo") or {}, ("@id", "name", "description")
    usages = [(claim, (claim.get("appearance") or {}).get("usageInfo")) for claim in message.get("citation") or []]
    return [
        fault("label", "the message's label on the claim", f"claim {position(claim)}: {usage.get('name')}")
        for claim, usage in usages
        if usage and any(own.get(key) != usage.get(key) for key in keys)
    ]


def faults(activity, message, numbers, is_copilot):
    """The faults of the form."""
    found = []
    text = activity.get("text") or ""
    if re.search(r"^\[[0-9]+\]: *\S", without_code(text), re.M):
        found.append(fault("teams-definition", "no definitions", re.search(r"^\[[0-9]+\]:.*", text, re.M)[0]))
    claims = (message or {}).get("citation") or []
    if len(claims) > 20:
        found.append(fault("teams-limits", "at most 20 claims", len(claims)))
    positions = [claim.get("position") for claim in claims]
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in positions):
        found.append(fault("teams-position", "whole numbers", positions))
    elif positions != sorted(set(positions)):
        found.append(fault("teams-position", "ascending positions", positions))
    found += [fault("dangling", f"a claim {one}", positions) for one in numbers if one not in positions]
    for claim in claims:
        found += _faults_of_claim(claim)
    found += _faults_of_labels(message) if message else []
    for claim in claims if is_copilot else []:
        appearance = claim.get("appearance") or {}
        fields = [field for field in ("encodingFormat", "usageInfo") if appearance.get(field) is not None]
        if (appearance.get("image") or {}).get("name") is not None:
            fields.append("image.name")
        if fields:
            found.append(fault("copilot-fields", "none of these fields", f"claim {position(claim)}: {', '.join(fields)}"))
    return found
