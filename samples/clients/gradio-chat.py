"""A chat page of Gradio in front of citewire: the text and its numbers; Gradio does not pass the sources on."""

import os

import gradio as gr

gr.load_chat("http://127.0.0.1:3978/v1", model="docs", token=os.environ["CITEWIRE_API_KEY"], streaming=True).launch()
