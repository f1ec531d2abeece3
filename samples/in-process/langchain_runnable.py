"""Makes a cited message of what a chain, a model or an agent of LangChain answers.

    chain = RunnablePassthrough.assign(context=itemgetter("question") | retriever)
    chain |= RunnablePassthrough.assign(answer=prompt | model)
    activity = (chain | CitedMessage(channel="teams")).invoke({"question": "How long is leave?"})
"""

from citewire import Streaming
from langchain_core.load import dumps
from langchain_core.runnables import RunnableGenerator


class Activity(dict):
    def __add__(self, newer):
        return newer  # LangChain adds chunks up, but each of these holds the whole answer so far.


class CitedMessage(RunnableGenerator):
    def __init__(self, **parameters):
        def follow(chunks):
            streaming = Streaming(from_="langchain", **parameters)
            for _ in streaming.follow(dumps(chunk) + "\n" for chunk in chunks):
                yield Activity(streaming.so_far() or {})
            yield Activity(streaming.finish()["message"])

        async def afollow(chunks):
            streaming = Streaming(from_="langchain", **parameters)
            async for _ in streaming.afollow(dumps(chunk) + "\n" async for chunk in chunks):
                yield Activity(streaming.so_far() or {})
            yield Activity(streaming.finish()["message"])

        super().__init__(follow, afollow, name="CitedMessage")
