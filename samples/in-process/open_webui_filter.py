"""
title: Cited messages
description: Badges of Open WebUI for each way in which a model cites.
requirements: citewire
"""

from citewire import records


class Filter:
    async def outlet(self, body: dict, __event_emitter__=None) -> dict:
        message = body["messages"][-1]
        if message["role"] != "assistant":
            return body
        known = message.get("sources")

        def read(text):
            if known:
                event = {"type": "chat:completion", "data": {"content": text, "done": True, "sources": known}}
                return records(event, from_="openwebui")
            return records({"type": "message", "text": text}, from_="activity")

        found = read(message["content"])
        message["content"] = found["text"]
        # The page shows `output` where a message has one.
        for item in message.get("output") or []:
            for part in item["content"] if item.get("type") == "message" else []:
                if part.get("type") == "output_text":
                    part["text"] = read(part["text"])["text"]
        if not known and found["sources"]:
            message["sources"] = [source(record) for record in found["sources"]]
            for data in message["sources"] if __event_emitter__ else []:
                await __event_emitter__({"type": "source", "data": data})
        return body


def source(record):
    name = {"name": record["title"] or "Source"} | ({"url": record["url"]} if record["url"] else {})
    passage = record["snippet"] or record["title"] or "Source"
    return {"source": name, "document": [passage], "metadata": [{"source": f"citewire:{record['position']}"}]}
