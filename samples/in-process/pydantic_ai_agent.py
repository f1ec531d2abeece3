"""Makes a cited message of what an agent of Pydantic AI answers from the sources that its tool found."""

import json

from citewire import Streaming, convert, prompt
from pydantic_ai import Agent, RunContext

agent = Agent("openai:gpt-5", deps_type=list, defer_model_check=True)


async def find(query):
    """Your search. A source has a title, a passage, and an address if readers can open it."""
    return [{"title": "Leave policy", "url": "https://hr.example/leave", "content": "Leave is 30 days."}]


@agent.tool
async def search(ctx: RunContext[list], query: str) -> str:
    """Search the handbook."""
    ctx.deps.extend(await find(query))
    return prompt({"sources": ctx.deps})["text"] or "Nothing was found."


async def answer(question, channel):
    result = await agent.run(question, deps=(sources := []))
    return convert({"text": result.output, "sources": sources}, channel=channel)["activities"][-1]


async def stream(question, channel, show):
    async with agent.run_stream(question, deps=(sources := [])) as result:
        with Streaming(from_="citewire", channel=channel) as streaming:
            streaming.push(json.dumps({"sources": sources}) + "\n")  # The text begins when the search has ended.
            async for delta in result.stream_text(delta=True, debounce_by=None):
                if update := streaming.push(json.dumps({"delta": delta}) + "\n"):
                    await show(update["text"])
            streaming.push('{"done": true}\n')
            return streaming.finish()["message"]
