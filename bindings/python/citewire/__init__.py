"""An answer of any RAG back end, with its sources, becomes a cited message, in your process.

Results are those of the server, byte for byte. Errors are `CitewireError`s with the codes of the server.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, TypedDict, TypeVar, Union

from . import _native

__all__ = [
    "MAX_BYTES", "Activity", "Body", "Checked", "CitewireError", "Converted", "Fixed", "Prompt", "Records", "Streamed",
    "Streaming", "Update", "call_json", "check", "convert", "fix", "prompt", "records",
]

#: The longest answer, activity or stream, in bytes.
MAX_BYTES: int = _native.MAX_BYTES

#: An answer or activity: text or bytes as they were received, or an object.
Body = Union[str, bytes, bytearray, memoryview, Mapping[str, Any], "list[Any]"]

_Written = TypeVar("_Written", bytes, "bytes | None")

#: An activity of the Bot Framework.
Activity = dict[str, Any]


class _Converted(TypedDict):
    #: The last one is the message; those before it are updates of a stream.
    activities: list[Activity]


class Converted(_Converted, total=False):
    #: Absent with `report=False`.
    report: dict[str, Any]


class Checked(TypedDict):
    findings: list[dict[str, Any]]


class Fixed(Checked):
    activity: Activity
    changes: list[dict[str, Any]]


class _Records(TypedDict):
    #: The text with the position of a source, `[n]`, in place of each marker.
    text: str
    sources: list[dict[str, Any]]
    #: The positions of the cited sources, in the order of their first citation.
    cited: list[int]
    #: The positions of the sources to list for readers, ascending.
    shown: list[int]
    #: The markers that match no source, as they were in the text.
    unresolved: list[str]
    #: JSON pointers of what looks like a source and is not read.
    unread: list[str]
    #: The parts of the text behind its citations, and whether the passages of their sources hold them.
    claims: list[dict[str, Any]]
    #: Whether the provider marked the answer as complete.
    complete: bool


class Records(_Records, total=False):
    #: The format of the answer.
    provider: str | None
    #: Whether the provider used its retrieval tools.
    tools_invoked: bool | None
    #: The error that the provider reported.
    error: dict[str, Any] | None


class Prompt(TypedDict):
    text: str
    messages: list[dict[str, Any]]
    sources: list[dict[str, Any]]


class Update(TypedDict):
    """The new text for readers."""

    #: `informative`: words in place of an answer that cannot be shown yet.
    kind: Literal["text", "informative"]
    #: All of the text so far.
    text: str


class Streamed(TypedDict):
    #: Equal to the message of the whole answer.
    message: Activity
    #: Whether the message may follow the text shown last. If not, end the stream and send it as a new one.
    continues: bool
    report: dict[str, Any]


class CitewireError(ValueError):
    """An error with a stable code, and where it has one, its place in the answer."""

    #: For programs, the same as over HTTP.
    code: str
    #: For people.
    detail: str
    #: JSON pointer of the fault.
    pointer: str | None
    #: The number of the event at fault in a stream, from 1.
    event: int | None
    #: The line on which that event begins, from 1.
    line: int | None

    def __init__(
        self, code: str, detail: str, pointer: str | None = None, event: int | None = None, line: int | None = None
    ) -> None:
        # The base class gets all arguments, so that an error can be pickled and sent to another process.
        super().__init__(code, detail, pointer, event, line)
        self.code, self.detail, self.pointer, self.event, self.line = code, detail, pointer, event, line

    def __str__(self) -> str:
        return self.detail


def convert(
    answer: Body,
    *,
    from_: str | None = None,
    channel: str | None = None,
    options: Mapping[str, Any] | None = None,
    report: bool | None = None,
) -> Converted:
    """Convert an answer, whole or as a stream that has ended, as `POST /v1/activities` does.

    `from_` names the format of the answer, which is detected else. `channel` is a dialect such as `teams` or `slack-blocks`, or a
    channel id with a dialect of its own; else `web-chat`. `report=False` leaves out the report.
    """
    parameters = _parameters(from_=from_, channel=channel, options=options, report=report)
    converted: Converted = json.loads(_call("convert", answer, parameters))
    return converted


def check(activity: Body, *, channel: str | None = None, profile: str | None = None) -> Checked:
    """Check an activity, as `citewire check --json` does: `channel` is `web-chat` or `teams`."""
    checked: Checked = json.loads(_call("check", activity, _parameters(channel=channel, profile=profile)))
    return checked


def fix(activity: Body, *, channel: str | None = None, profile: str | None = None) -> Fixed:
    """Mend an activity and check what came of it, as `citewire check --fix --json` does."""
    fixed: Fixed = json.loads(_call("fix", activity, _parameters(channel=channel, profile=profile)))
    return fixed


def records(
    answer: Body,
    *,
    from_: str | None = None,
    channel: str | None = None,
    options: Mapping[str, Any] | None = None,
    reshaped: str | Mapping[str, Any] | None = None,
) -> Records:
    """Read the sources of an answer, as `POST /v1/records` does."""
    parameters = _parameters(from_=from_, channel=channel, options=options, reshaped=reshaped)
    read: Records = json.loads(_call("records", answer, parameters))
    return read


def prompt(manifest: Body, *, options: Mapping[str, Any] | None = None) -> Prompt:
    """Write a prompt with numbered sources, as `POST /v1/prompt` does."""
    written: Prompt = json.loads(_call("prompt", manifest, _parameters(options=options)))
    return written


def call_json(
    call: Literal["convert", "check", "fix", "records", "prompt"],
    body: Body,
    parameters: Mapping[str, Any] | None = None,
) -> str:
    """Call one of these by its name, with the members that stand beside the answer over HTTP; the result as it is written."""
    return _call(call, body, _json({} if parameters is None else parameters)).decode()


class Streaming:
    """An answer that arrives in pieces, cut anywhere. It ends with `finish`, `close` or an error.

        streaming = Streaming(channel="teams")
        for update in streaming.follow(pieces):
            show(update["text"])
        send(streaming.finish()["message"])
    """

    def __init__(
        self, *, from_: str | None = None, channel: str | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        self._stream: _native.Stream | None = None
        try:
            self._stream = _native.Stream(_parameters(from_=from_, channel=channel, options=options))
        except _native.Failed as failed:
            raise _error(failed) from None

    def push(self, piece: str | bytes | bytearray | memoryview) -> Update | None:
        """Take the next piece; return what readers see from now on, if that has changed."""
        update: Update | None = self._read(lambda stream: stream.push(_bytes(piece)))
        return update

    def follow(self, pieces: Iterable[str | bytes | bytearray | memoryview]) -> Iterator[Update]:
        """Push all pieces, and yield each update."""
        with _Ending(self):
            for piece in pieces:
                update = self.push(piece)
                if update is not None:
                    yield update

    async def afollow(self, pieces: AsyncIterable[str | bytes | bytearray | memoryview]) -> AsyncIterator[Update]:
        """Push all pieces of an asynchronous iterator, and yield each update.

        To go on after a `break`, read it within `contextlib.aclosing`: an asynchronous generator that is left ends later.
        """
        with _Ending(self):
            async for piece in pieces:
                update = self.push(piece)
                if update is not None:
                    yield update

    def so_far(self) -> Activity | None:
        """Return the text so far as an activity of its own, in Web Chat with its claims."""
        activity: Activity | None = self._read(lambda stream: stream.so_far())
        return activity

    def finish(self) -> Streamed:
        """End the stream."""
        ended: Streamed = json.loads(self.finish_json())
        return ended

    def finish_json(self) -> str:
        """End the stream; the end as it is written."""
        written = self._run(lambda stream: stream.finish())
        self.close()
        return written.decode()

    def close(self) -> None:
        """Give the stream up."""
        self._stream = None

    def __enter__(self) -> Streaming:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _read(self, call: Callable[[_native.Stream], bytes | None]) -> Any:
        written = self._run(call)
        return None if written is None else json.loads(written)

    def _run(self, call: Callable[[_native.Stream], _Written]) -> _Written:
        """Call a method of the module's stream. Any error ends the stream."""
        # Another thread may end the stream meanwhile.
        stream = self._stream
        if stream is None:
            raise CitewireError("stream_ended", "the stream has ended; begin another one")
        try:
            return call(stream)
        except _native.Failed as failed:
            self.close()
            raise _error(failed) from None
        except BaseException:
            self.close()
            raise


class _Ending:
    """Closes a stream when the iterator of its pieces fails, or the loop over its updates is left: `finish` is not called then."""

    def __init__(self, streaming: Streaming) -> None:
        self._streaming = streaming

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self._streaming.close()


def _call(name: str, body: Body, parameters: bytes) -> bytes:
    given = _bytes(body)
    if len(given) > MAX_BYTES:
        raise CitewireError("body_too_long", f"the answer is longer than {MAX_BYTES} bytes")
    try:
        return _native.call(name, given, parameters)
    except _native.Failed as failed:
        raise _error(failed) from None


def _parameters(**given: Any) -> bytes:
    return _json({name.rstrip("_"): value for name, value in given.items() if value is not None})


def _json(value: Any) -> bytes:
    def written(is_ascii: bool) -> str:
        # JSON has no numbers like infinity.
        return json.dumps(value, ensure_ascii=is_ascii, allow_nan=False, separators=(",", ":"), default=_plain)

    try:
        return written(False).encode()
    except UnicodeEncodeError:
        # Half a character is escaped, as JSON has it.
        return written(True).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _bytes(given: Any) -> bytes:
    if isinstance(given, bytes):
        return given
    if isinstance(given, str):
        try:
            return given.encode()
        except UnicodeEncodeError:
            words = "the text holds half of a surrogate pair; give whole characters, or bytes"
            raise CitewireError("half_a_character", words) from None
    if isinstance(given, (bytearray, memoryview)):
        return bytes(given)
    if given is None or isinstance(given, (bool, int, float)):
        raise TypeError("text, bytes or an object is required")
    return _json(given)


def _error(failed: _native.Failed) -> CitewireError:
    return CitewireError(**json.loads(failed.args[0]))
