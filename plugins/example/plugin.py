"""A plugin to copy: change `TOOLS` here and in manifest.json; docs/plugins.md has the rest."""
import collections
import json
import sys

config = {}


def word_count(text, fold_case):
    words = (text.casefold() if fold_case else text).split()
    counts = collections.Counter(words)
    return {"counts": {word: n for word, n in sorted(counts.items()) if n >= config["least"]}, "words": len(words)}


TOOLS = {"word_count": word_count}


def say(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        config = message["config"]
        say(type="hello", protocol=1)
    elif message["type"] == "call":
        try:
            say(type="result", id=message["id"], output=TOOLS[message["tool"]](**message["args"]))
        except Exception as error:
            say(type="result", id=message["id"], error={"message": f"{type(error).__name__}: {error}"})
