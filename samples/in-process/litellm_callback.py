"""Adds a cited message to each chat completion of LiteLLM's proxy, in the member `activity`."""

from citewire import CitewireError, convert
from litellm import ModelResponse, ModelResponseStream
from litellm._logging import verbose_proxy_logger
from litellm.integrations.custom_logger import CustomLogger


class CitedMessages(CustomLogger):
    def __init__(self, channel):
        super().__init__()
        self.channel = channel

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
        if isinstance(response, ModelResponse):
            self.add(response, response.model_dump_json())
        return response

    async def async_post_call_streaming_iterator_hook(self, user_api_key_dict, response, request_data):
        events, held = [], []
        async for chunk in response:
            if isinstance(chunk, ModelResponseStream):
                events.append(f"data: {chunk.model_dump_json()}\n\n")
                # The proxy may drop the last chunk, which has token counts. The one with the finish reason arrives.
                if held or any(choice.finish_reason for choice in chunk.choices):
                    held.append(chunk)
                    continue
            yield chunk
        if held:
            self.add(held[0], "".join(events))
        for chunk in held:
            yield chunk

    def add(self, carrier, answer):
        if carrier.choices[0].finish_reason == "tool_calls":
            return
        try:
            carrier.activity = convert(answer, channel=self.channel, options={"updates": 0})["activities"][-1]
        except CitewireError as error:
            verbose_proxy_logger.warning("citewire: an answer has no cited message: %s", error)


cited_messages = CitedMessages(channel="teams")
