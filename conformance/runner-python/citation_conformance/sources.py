"""Whether a source of the output is the one that is expected."""

import re
from urllib.parse import unquote

from .text import letters


def as_list(value):
    return value if isinstance(value, list) else [value]


def _plain(text):
    return re.sub(r"\s+", " ", re.sub("[\u200b-\u200f\u2060\ufeff]", "", text)).strip()


def units(text):
    """The length in UTF-16 units, in which channels count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def address(url):
    """An address without what browsers do not see: percent signs of letters, the directive, the slash of an empty path."""
    short = re.sub(r"#:~:.*\Z", "", url, flags=re.S)
    short = re.sub(r"(#.*?):~:.*\Z", r"\1", short, flags=re.S)
    if not re.search(r"%(?![0-9a-fA-F]{2})", short):
        try:
            short = unquote(short, errors="strict")
        except UnicodeDecodeError:
            pass
    parts = re.match(r"([a-z+.-]+://[^/?#]*)(.*)\Z", short, re.S | re.I)
    if not parts:
        return short
    return parts[1].lower() + ("" if parts[2] == "/" else parts[2])


def _same_title(wanted, title, limit):
    for one in as_list(wanted):
        whole = _plain(one)
        if _plain(title) == whole:
            return True
        begun = letters(re.sub(r"(\.\.\.|…)\s*\Z", "", title))
        if limit and units(whole) > limit and units(begun) >= limit / 2 and letters(whole).startswith(begun):
            return True
    return False


def _fault(rule, expected, came):
    return {"rule": rule, "expected": expected, "came": came}


def _faults_of_line(wanted, line):
    faults = []
    if "title" in wanted and not any(_plain(title) in _plain(line) for title in as_list(wanted["title"])):
        faults.append(_fault("title", " or ".join(as_list(wanted["title"])), line))
    if wanted.get("url"):
        decoded = re.sub(r"\S*://\S+", lambda match: address(match[0]), line)
        if not any(address(url) in decoded for url in as_list(wanted["url"])):
            faults.append(_fault("address", " or ".join(as_list(wanted["url"])), line))
    if "url" in wanted and wanted["url"] is None and re.match(r"[\s:,(<–—-]*https?://", _behind_title(wanted, line), re.I):
        faults.append(_fault("address", "no address", line))
    return faults


def _behind_title(wanted, line):
    """A line behind the title. An address may stand there; one in the passage behind it is none of the source."""
    titles = [_plain(one) for one in as_list(wanted.get("title") or []) if _plain(line).startswith(_plain(one))]
    return _plain(line)[len(titles[0]) if titles else 0:]


def faults_of_source(wanted, shown, title_limit=None, needs_passage=False):
    """The faults of a source as it is shown: title, url, quote, or the line of a plain text."""
    if shown.get("line") is not None:
        return _faults_of_line(wanted, shown["line"])
    faults = []
    title, url = shown.get("title"), shown.get("url")
    if "title" in wanted and not _same_title(wanted["title"], title or "", title_limit):
        faults.append(_fault("title", " or ".join(as_list(wanted["title"])), title or "none"))
    if wanted.get("url") and not (url and any(address(one) == address(url) for one in as_list(wanted["url"]))):
        faults.append(_fault("address", " or ".join(as_list(wanted["url"])), url or "none"))
    if "url" in wanted and wanted["url"] is None and re.match(r"https?://", url or "", re.I):
        faults.append(_fault("address", "no address", url))
    if needs_passage and wanted.get("quote"):
        if _begin(letters(wanted["quote"])) not in letters(shown.get("quote") or ""):
            faults.append(_fault("passage", wanted["quote"], shown.get("quote") or "none"))
    return faults


def _begin(text):
    """The first sixty UTF-16 units, and no half of a pair."""
    cut = text.encode("utf-16-le")[:120]
    return cut.decode("utf-16-le", "ignore")


def keys_of(sources, shown, title_limit=None):
    """The sources that a shown one may be."""
    return [key for key, source in sources.items() if not faults_of_source(source, shown, title_limit)]


def name_of(shown):
    return shown.get("line") or " · ".join(str(shown[key]) for key in ("title", "url") if shown.get(key))
