"""What the package does with everything that programs may give it."""

import asyncio
import json
import math
import os
import pickle
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any, Callable, get_type_hints

import citewire
from citewire import CitewireError, Streaming, call_json, check, convert, fix, prompt, records

SOURCE = {"title": "Leave policy", "url": "https://hr.example/leave"}
ANSWER = {"text": "Leave is 30 days [1].", "sources": [SOURCE]}


def event(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


EVENTS = [event({"sources": [SOURCE]}), event({"delta": "One [1]. "}), event({"delta": "Two 😀."}), event({"done": True})]


class Calls(unittest.TestCase):
    def refused(self, code: str, call: Callable[[], object]) -> CitewireError:
        with self.assertRaises(CitewireError) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception)
        self.assertIsInstance(caught.exception, ValueError)
        return caught.exception

    def test_an_answer_is_the_same_as_object_text_and_bytes(self) -> None:
        text = json.dumps(ANSWER)
        wanted = call_json("convert", ANSWER, {"channel": "teams"})
        for body in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
            self.assertEqual(call_json("convert", body, {"channel": "teams"}), wanted)
        self.assertEqual(convert(ANSWER, channel="teams"), json.loads(wanted))
        self.assertNotIn("report", convert(ANSWER, report=False))
        self.assertEqual(convert(ANSWER, from_="citewire")["activities"], convert(ANSWER)["activities"])

    def test_an_activity_is_checked_and_mended_and_sources_are_read_and_listed(self) -> None:
        activity = convert(ANSWER)["activities"][-1]
        self.assertEqual([found for found in check(activity)["findings"] if found["severity"] == "error"], [])
        activity["entities"][0]["citation"][0]["position"] = "one"
        self.assertTrue(check(activity, channel="teams")["findings"])
        mended = fix(activity, channel="teams")
        self.assertTrue(mended["changes"])
        self.assertEqual(mended["activity"]["type"], "message")
        self.assertEqual(records(ANSWER)["sources"][0]["url"], SOURCE["url"])
        self.assertIn("Thirty days", prompt({"sources": [{**SOURCE, "content": "Thirty days."}]})["text"])

    def test_results_have_the_members_that_their_types_name(self) -> None:
        activity = convert(ANSWER)["activities"][-1]
        streaming = Streaming()
        updates = list(streaming.follow(EVENTS))
        results: dict[Any, Any] = {
            citewire.Converted: convert(ANSWER),
            citewire.Checked: check(activity),
            citewire.Fixed: fix(activity),
            citewire.Records: records(ANSWER),
            citewire.Prompt: prompt({"sources": [SOURCE]}),
            citewire.Update: updates[0],
            citewire.Streamed: streaming.finish(),
        }
        for kind, result in results.items():
            named = set(get_type_hints(kind))
            self.assertLessEqual(set(result), named, kind)
            self.assertGreaterEqual(set(result), kind.__required_keys__, kind)

    def test_errors_have_the_code_and_the_place(self) -> None:
        self.refused("unknown_channel", lambda: convert(ANSWER, channel="fax"))
        found = self.refused("invalid_member", lambda: convert(ANSWER, options={"updates": "x"}))
        self.assertEqual(found.pointer, "/options/updates")
        found = self.refused("invalid_answer", lambda: convert({"text": 5}))
        self.assertEqual((found.pointer, str(found)), ("/text", found.detail))
        streaming = Streaming(from_="citewire")
        found = self.refused("invalid_answer", lambda: streaming.push(event({"delta": "a"}) + event({"delta": 5})))
        self.assertEqual((found.event, found.line), (2, 3))
        self.refused("grounding_no_tools", lambda: convert({"text": "a"}, options={"require_grounding": "any"}))
        self.refused("not_json", lambda: check("{"))
        self.refused("not_an_activity", lambda: fix("5"))
        copied = pickle.loads(pickle.dumps(found))
        self.assertEqual(vars(copied), vars(found))
        with self.assertRaises(KeyError):
            call_json("nonsense", ANSWER)  # type: ignore[arg-type]

    def test_half_a_character_is_refused_in_text_and_escaped_in_objects(self) -> None:
        self.refused("half_a_character", lambda: convert('{"text": "\ud83d"}'))
        self.assertIsInstance(convert({**ANSWER, "text": "a \ud83d b"})["activities"][0]["text"], str)
        self.refused("invalid_answer", lambda: convert(b"{\xff}"))
        streaming = Streaming()
        self.refused("half_a_character", lambda: streaming.push("\ud83d"))
        self.refused("stream_ended", streaming.finish)

    def test_what_is_no_answer_is_a_type_error_and_an_exception_of_an_object_comes_out(self) -> None:
        for body in (None, 5, True, object(), lambda: None):
            with self.assertRaises(TypeError):
                convert(body)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            convert({"text": "a", "score": math.inf})
        frozen = MappingProxyType(ANSWER)
        self.assertEqual(convert(frozen, options=MappingProxyType({"updates": 0})), convert(ANSWER, options={"updates": 0}))

        class Mine(dict):  # type: ignore[type-arg]
            def items(self) -> Any:
                raise RuntimeError("mine")

        with self.assertRaisesRegex(RuntimeError, "mine"):
            convert(Mine(text="a"))

    def test_what_is_too_long_is_refused_and_calls_go_on(self) -> None:
        long = b"a" * (100 * 1024 * 1024)
        for call in (convert, check, fix, records, prompt):
            self.refused("body_too_long", lambda call=call: call(long))  # type: ignore[misc]
        # Each of these letters takes two bytes, and six where it is escaped.
        other = {"text": "a", "sources": [{"title": "b", "content": "ж" * 3_000_000}]}
        self.assertEqual(len(convert(other, channel="plain")["activities"]), 1)
        streaming = Streaming(channel="plain")
        piece = event({"delta": "a" * 256 * 1024})

        def push_all() -> None:
            for _ in range(65):
                streaming.push(piece)

        self.refused("body_too_long", push_all)
        self.refused("stream_ended", lambda: streaming.push(piece))
        self.assertEqual(len(convert(ANSWER)["activities"]), 1)

    def test_two_streams_at_once_do_not_mix_wherever_bytes_are_cut(self) -> None:
        whole = convert("".join(EVENTS), channel="teams", options={"updates": 0})
        one, other = Streaming(channel="teams"), Streaming(channel="plain")
        for byte in "".join(EVENTS).encode():
            one.push(bytes([byte]))
            other.push(bytes([byte]))
        self.assertEqual(one.finish()["message"], whole["activities"][0])
        self.assertIn("Two 😀.", other.finish()["message"]["text"])

    def test_a_stream_shows_its_text_and_ends_once(self) -> None:
        streaming = Streaming()
        updates = [update for update in map(streaming.push, EVENTS) if update]
        self.assertEqual({update["kind"] for update in updates}, {"text"})
        so_far = streaming.so_far()
        assert so_far is not None
        self.assertTrue(so_far["text"].startswith("One [1]. Two"))
        self.assertIs(streaming.finish()["continues"], True)
        for call in (lambda: streaming.push(""), streaming.so_far, streaming.finish, streaming.finish_json):
            self.refused("stream_ended", call)
        streaming.close()
        with Streaming() as closed:
            closed.push(EVENTS[0])
        self.refused("stream_ended", closed.finish)
        self.refused("unknown_channel", lambda: Streaming(channel="fax"))

    def test_an_exception_of_the_pieces_or_of_the_reader_ends_the_stream_and_comes_out(self) -> None:
        def pieces() -> Any:
            yield EVENTS[0]
            yield EVENTS[1]
            raise LookupError("mine")

        broken, left, forgotten = Streaming(), Streaming(), Streaming()
        with self.assertRaisesRegex(LookupError, "mine"):
            list(broken.follow(pieces()))
        self.refused("stream_ended", broken.finish)
        updates = left.follow(EVENTS)
        next(updates)
        updates.close()  # type: ignore[attr-defined]
        self.refused("stream_ended", left.finish)
        del forgotten

    def test_asynchronous_pieces_are_followed(self) -> None:
        async def pieces() -> Any:
            for piece in EVENTS:
                await asyncio.sleep(0)
                yield piece

        async def follow() -> list[str]:
            return [update["text"] async for update in streaming.afollow(pieces())]

        streaming = Streaming()
        shown = asyncio.run(follow())
        self.assertTrue(streaming.finish()["message"]["text"].startswith(shown[-1]))

    def test_eight_threads_convert_at_once_and_may_share_a_stream(self) -> None:
        wanted = call_json("convert", ANSWER)
        with ThreadPoolExecutor(8) as pool:
            results = pool.map(lambda _: call_json("convert", ANSWER), range(400))
            self.assertEqual(set(results), {wanted})
        streaming = Streaming()
        streaming.push(EVENTS[0])
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: streaming.push(EVENTS[1]), range(80)))
        self.assertEqual(streaming.finish()["message"]["text"].count("One"), 80)

    def test_other_threads_run_during_a_call(self) -> None:
        body = json.dumps({**ANSWER, "text": "Leave is 30 days [1]. " * 20_000})
        ran, stopped = 0, threading.Event()

        def count() -> None:
            nonlocal ran
            # Its wait lets others run, which nothing else does for a minute.
            while not stopped.wait(0.0001):
                ran += 1

        counter, interval = threading.Thread(target=count), sys.getswitchinterval()
        sys.setswitchinterval(60)
        counter.start()
        try:
            before = ran
            call_json("convert", body, {"channel": "plain", "report": False})
            during = ran - before
        finally:
            sys.setswitchinterval(interval)
            stopped.set()
            counter.join()
        self.assertGreater(during, 0)

    def test_many_conversions_and_streams_leave_nothing_in_memory(self) -> None:
        body = json.dumps(ANSWER)

        def resident() -> int:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def round_of(times: int) -> int:
            for time in range(times):
                call_json("convert", body)
                streaming = Streaming()
                for piece in EVENTS:
                    streaming.push(piece)
                if time % 2:
                    streaming.finish()
                self.refused("not_json", lambda: check("{"))
            return resident()

        times = int(os.environ.get("CITEWIRE_CONVERSIONS", "1000"))
        before = round_of(times // 2)
        self.assertLess(round_of(times) - before, 4 * 1024 * 1024, f"{times} conversions")


if __name__ == "__main__":
    # Python 3.11 and older pass a run without tests.
    assert unittest.defaultTestLoader.getTestCaseNames(Calls), "there are no tests"
    unittest.main()
