"""Phrases of a model that speaks of itself, of a conversation, of a refusal or of a failed call."""

import re
from collections.abc import Iterator

from benchmark.identities.findings import EXCERPT, Finding, Kind
from latex.folding import Reading

_I = r"\bi(?:'m| am| was|'ve been| have been)"
_AI = r"(?:an? )?(?:ai|artificial intelligence|large language|language|llm|generative|neural|machine[- ]learning)"
_START = r"(?:^|\n)[ \t>#]{0,8}"

# One row per phrase: kind, whether it is certain, pattern over the reading with its white space made single.
_PHRASES: tuple[tuple[Kind, bool, str], ...] = (
    (Kind.SELF, True, rf"\bas {_AI}(?: language)?(?: model| assistant| system)?,? i\b"),
    (Kind.SELF, True, rf"{_I} (?:just |only |merely )?(?:an? )?(?:ai|llm|large language model|language model|chatbot|"
                      r"artificial intelligence|virtual assistant|ai assistant)\b"),
    (Kind.SELF, True, r"\bmy (?:training (?:data|set|corpus|cut-?off)|knowledge cut-?off|context window|system prompt|"
                      r"weights|creators|developers|thinking budget|token (?:limit|budget))\b"),
    (Kind.SELF, True, rf"{_I} (?:trained|developed|created|built|fine-?tuned) (?:by|on|at)\b"),
    (Kind.SELF, True, r"\bi (?:do not|don't|cannot|can't|can not) (?:have (?:direct )?access to|browse|search|access) "
                      r"(?:the )?(?:internet|web|real-time|external (?:sources|databases|tools))"),
    (Kind.SELF, True, r"\b(?:we|this (?:model|agent|system)) (?:ran|used|called|queried) (?:the |our )?"
                      r"(?:web[- ]search|code[- ]interpreter|python|verifier|search) (?:tool|agent|subagent)\b"),
    (Kind.SELF, True, r"\bi (?:used|ran|called|queried) (?:the |my )?"
                      r"(?:web[- ]search|code[- ]interpreter|python|search|browser) tool\b"),
    (Kind.SELF, True, r"\b(?:this|the) (?:proof|solution|answer|response|text|document) (?:was|is|has been) "
                      r"(?:\w{1,14} )?(?:ai[- ]generated|machine[- ]generated|(?:generated|written|produced) by "
                      r"(?:an? )?(?:ai|llm|language model|large language model|artificial))"),
    (Kind.SELF, True, r"\bi am a model (?:made|trained|developed) by\b"),
    (Kind.SELF, False, r"\bafter (?:much |extensive )?(?:reasoning|thinking) for \d+ (?:seconds|minutes)\b"),
    (Kind.TRANSCRIPT, True, r"<\|[a-z_]{2,20}\|>|</?(?:think|thinking|scratchpad|tool_call|function_call|antml)>"),
    (Kind.TRANSCRIPT, True, rf"{_START}(?:thought for|reasoned for|worked for) \d+ ?(?:s|seconds?|m|minutes?)\b"),
    (Kind.TRANSCRIPT, True, r"\b(?:the user (?:wants|asks|asked|is asking|would like|provided|has asked|gave|requests)"
                            r"(?: me| us)?\b|you(?:'ve| have) asked me)"),
    (Kind.TRANSCRIPT, True, r"\b(?:would you like me to|let me know if you(?:'d| would)? (?:like|want|need)|"
                            r"i hope this helps|feel free to ask|is there anything else i can)\b"),
    (Kind.TRANSCRIPT, True, rf"{_START}(?:certainly|sure|of course|absolutely|great question)[!,] "
                            r"(?:here|i |i'll|let me)"),
    (Kind.TRANSCRIPT, False, rf"{_START}\**(?:assistant|user|system|human)\**\s?:"),
    (Kind.REFUSAL, True, r"\bi(?:'m| am) (?:sorry|unable|not able)[^.\n]{0,20}\b"
                         r"(?:but i (?:can|am|can't|cannot)|to (?:assist|help|provide|"
                         r"comply|complete this|solve this|produce))"),
    (Kind.REFUSAL, True, r"\bi (?:cannot|can't|won't|will not) (?:assist|help|comply|fulfil+|provide (?:a |the )?"
                         r"(?:complete |full |rigorous )?(?:proof|solution|answer))\b"),
    (Kind.REFUSAL, True, rf"{_START}(?:error(?: code)?:? ?[45]\d\d\b|internal server error|"
                         r"(?:http )?(?:429|500|502|503|504)\b[ :\-]{1,3}"
                         r"(?:too many|internal|bad gateway|service|gateway)|traceback \(most recent call)"),
    (Kind.REFUSAL, True, r"\b(?:rate limit (?:exceeded|reached)|maximum context length|context length exceeded|"
                         r"content (?:policy|filter) (?:violation|triggered)|max_tokens|request timed out|"
                         r"upstream connect error|quota exceeded|response was (?:blocked|truncated|filtered)|"
                         r"insufficient_quota|overloaded_error)\b"),
    (Kind.REFUSAL, True, rf"{_START}\**(?:no solution(?: (?:was )?found)?|i (?:was|am) (?:unable|not able) to "
                         r"(?:find|solve|prove)[^.\n]{0,80})\.?\**\s*$"),
)  # fmt: skip
_PATTERNS = tuple((kind, certain, re.compile(row, re.IGNORECASE)) for kind, certain, row in _PHRASES)
_QUOTES = str.maketrans("‘’“”", "''\"\"")


def phrases(reading: Reading) -> Iterator[Finding]:
    """Findings of kinds SELF, TRANSCRIPT and REFUSAL."""
    # A line end inside a sentence is a blank, but "at the start of a line" must stay visible: two readings.
    plain = reading.text.translate(_QUOTES)
    joined = plain.replace("\n", " ")
    for kind, certain, pattern in _PATTERNS:
        text = plain if _START in pattern.pattern else joined
        for found in pattern.finditer(text):
            first, last = reading.span(found.start(), found.end())
            yield Finding(kind, first, last, " ".join(found[0].split())[:EXCERPT], certain)
