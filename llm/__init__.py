"""Calling language models: endpoints, client, prompt files, structured replies, votes. Knows no Django.

endpoints = parse_endpoints(setting)                  # allow-list of the deployment: name -> Endpoint
prompt = load_prompt(folder / "grounding.v1.md")
rendered = prompt.render({"proof": text}, nonce=secrets.token_hex(16))
async with Client(endpoints["local"]) as client:
    completion = await client.complete(
        rendered.messages, model="m", response_format=prompt.response_format, idempotency_key=key
    )                                                 # raises Unavailable, RefusedByServer or Malformed
reply = parse_reply(completion.text)                  # Reply, or Unparsed with its reason
majority(["yes", "no", None], tie="uncertain")        # None: a vote without an answer
is_settled(["yes", "yes"], planned=3)                 # stop early; fewest_more: how many to ask next
find_injections(text)                                 # flags for the coordinator
"""

from llm.addresses import AddressRefused
from llm.client import Client
from llm.completion import Completer, Completion, most_sent
from llm.embeddings import EmbeddingModel, parse_embedding_models
from llm.endpoint import Endpoint, EndpointError, parse_endpoints
from llm.errors import CallFailed, Malformed, RefusedByServer, TooLarge, Unavailable
from llm.injections import Flag, find_injections
from llm.prompts import OwnPrompt, Prompt, PromptError, RenderedPrompt, load_prompt
from llm.replies import Reply, ReplyFormat, Unparsed, parse_reply
from llm.retries import Backoff
from llm.votes import fewest_more, is_settled, majority
