"""Makes the samples of Haystack again, with its own components and invented content.

    python write_haystack.py FOLDER
"""

import json
import sys
from pathlib import Path

from haystack import Document
from haystack.components.builders import AnswerBuilder

FOUND = [
    ("k1", "Black tea", "https://tea.example.org/black", 0.95, "Fully oxidised."),
    ("k2", "Green tea", "https://tea.example.org/green", 0.9, "Heated at once."),
    ("k3", "Oolong", "https://tea.example.org/oolong", 0.8, "Half oxidised."),
    ("k4", "Keeping tea", "https://tea.example.org/keep", 0.7, "乾燥"),
]

documents = [
    Document(id=id, content=content, score=score, meta={"title": title, "url": url}) for id, title, url, score, content in FOUND
]
builder = AnswerBuilder(reference_pattern=r"\[(?:(\d+)\])")
replies = ["🍵 Green tea is heated [2]. 乾燥して保存 [4]."]
output = builder.run(query="How is green tea made and kept?", replies=replies, documents=documents)
folder = Path(sys.argv[1]) / "haystack" / "referenced"
folder.mkdir(parents=True, exist_ok=True)
output = {"answer_builder": {"answers": [answer.to_dict() for answer in output["answers"]]}}
(folder / "input.json").write_text(json.dumps(output, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
