"""The words and numbers of a text: what readers see, whatever its Markdown."""

import re
import unicodedata

_TOKEN = re.compile(r"⟦([^⟧]+)⟧|\[([0-9]{1,4})\]|&#([0-9]+);|&#[xX]([0-9a-fA-F]+);|&(lt|gt|amp|quot|nbsp);|\\?.", re.S)


def _seen(letter):
    """Letters, digits and signs, but those with which Markdown is written."""
    category = unicodedata.category(letter)
    return category[0] in "LN" or category in ("Sc", "So") or (category == "Sm" and letter not in "+<=>|~")


def tokens(text, is_expected):
    """The letters, digits and signs as `("letter", value, at)`, and between them `("key", …)` or `("number", digits, at)`."""
    found = []

    def letters(string, at):
        found.extend(("letter", letter, at) for letter in string if _seen(letter))

    for match in _TOKEN.finditer(text):
        key, number, decimal, hexadecimal, name = match.groups()
        at = match.start()
        if key is not None and is_expected:
            found.append(("key", key, at))
        elif number is not None and not is_expected:
            found.append(("number", number, at))
        elif number is not None:
            letters(number, at)
        elif decimal or hexadecimal:
            code = int(decimal or hexadecimal, 10 if decimal else 16)
            letters(chr(code) if code <= 0x10FFFF else "", at)
        elif name is None:
            whole = match.group()
            letters(whole[1:] if whole.startswith("\\") else whole, at)
    return found


def letters(text):
    """The letters of a text alone."""
    return "".join(value for kind, value, _ in tokens(text, True) if kind == "letter")


def _around(text, token):
    at = token[2] if token else len(text)
    return re.sub(r"\s+", " ", f"{text[max(0, at - 30):at]}▸{text[at:at + 30]}")


def _is_literal(wanted, at, token):
    """Whether a number of the output is one of the letters that are expected: `[1]` in code."""
    there = wanted[at:at + len(token[1])]
    return [one[:2] for one in there] == [("letter", digit) for digit in token[1]]


def align(expected, text):
    """Groups of numbers `(keys, numbers, place)`, and the first place at which the words differ, or None."""
    wanted, came = tokens(expected, True), tokens(text, False)
    groups = []
    i = j = 0

    def at(list_, index, kind):
        return index < len(list_) and list_[index][0] == kind

    while True:
        start = wanted[i] if i < len(wanted) else None
        keys, numbers = [], []
        while at(wanted, i, "key"):
            keys.append(wanted[i][1])
            i += 1
        enough = len(set(keys))
        while at(came, j, "number") and (len(numbers) < enough or not _is_literal(wanted, i, came[j])):
            numbers.append(int(came[j][1]))
            j += 1
        if keys or numbers:
            groups.append((keys, numbers, _around(expected, start)))
        if at(came, j, "number"):
            i += len(came[j][1])
            j += 1
        elif i >= len(wanted) and j >= len(came):
            return groups, None
        elif i < len(wanted) and j < len(came) and wanted[i][:2] == came[j][:2]:
            i += 1
            j += 1
        else:
            there = wanted[i] if i < len(wanted) else None
            return groups, (_around(expected, there), _around(text, came[j] if j < len(came) else None))
