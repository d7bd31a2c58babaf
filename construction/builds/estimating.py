"""What a build will need, about, before it begins: counted in the texts of its sources, nothing is asked."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet

from accounts.refusal import Refused
from construction.models import Source, SourceState
from construction.pipeline import Range, get_pipeline
from work.asking import MILLION

COUNTED = 60  # papers whose texts are counted in; the others are taken to be like them
CHARACTERS_OF_A_TOKEN = Range(3, 4)
TOKENS_OF_A_PROMPT = Range(400, 1_200)  # the words around what is sent
TOKENS_OF_A_REPLY = Range(100, 1_500)


@dataclass(frozen=True)
class BuildEstimate:
    """Low and high are what can be told without reading: see `basis`. Costs are in money, with two digits."""

    papers: int
    counted: int
    questions_low: int
    questions_high: int
    tokens_low: int
    tokens_high: int
    cost_low: str
    cost_high: str
    basis: str


def chosen_sources(
    *, domain: str = "", category: str = "", text: str = "", keys: tuple[str, ...] = ()
) -> QuerySet[Source]:
    """Readable sources with a domain, narrowed by what is given; `text` is in a title or begins a key."""
    found = Source.objects.filter(state=SourceState.READABLE).exclude(domain="")
    if domain:
        found = found.filter(domain=domain)
    if category:
        found = found.filter(category=category)
    if keys:
        found = found.filter(key__in=keys)
    if text:
        found = found.filter(title__icontains=text) | found.filter(key__istartswith=text)
    return found


def estimate(
    *,
    protocol: str,
    numbers: dict[str, object],
    sources: QuerySet[Source],
    prompt_price: Decimal = Decimal(0),
    completion_price: Decimal = Decimal(0),
) -> BuildEstimate:
    """Questions, tokens and money. Raises Refused for numbers that the recipe does not take."""
    pipeline = get_pipeline(protocol)
    try:
        recipe = pipeline.recipe(numbers)
    except ValueError as error:
        raise Refused(str(error), code="bad_recipe", field="numbers") from error
    papers = list(sources.order_by("key", "version").values_list("pk", flat=True))
    step = max(1, -(-len(papers) // COUNTED))
    sample = papers[::step]
    questions = characters = Range(0, 0)
    for source in Source.objects.filter(pk__in=sample).prefetch_related("files").iterator(chunk_size=10):
        found = pipeline.expects("\n".join(file.text for file in source.files.all()), recipe)
        questions, characters = questions + found.questions, characters + found.characters
    factor = len(papers) / len(sample) if sample else 0
    asked = [round(questions.low * factor), round(questions.high * factor)]
    sent = [
        round(characters.low * factor / CHARACTERS_OF_A_TOKEN.high) + asked[0] * TOKENS_OF_A_PROMPT.low,
        round(characters.high * factor / CHARACTERS_OF_A_TOKEN.low) + asked[1] * TOKENS_OF_A_PROMPT.high,
    ]
    received = [asked[0] * TOKENS_OF_A_REPLY.low, asked[1] * TOKENS_OF_A_REPLY.high]
    cost = [
        (given * prompt_price + gotten * completion_price) / MILLION
        for given, gotten in zip(sent, received, strict=True)
    ]
    basis = (
        f"Counted in the texts of {len(sample):,} of {len(papers):,} papers. {pipeline.expects.__doc__ or ''} "
        "3 to 4 characters a token, 400 to 1,200 tokens of a prompt's own, 100 to 1,500 tokens a reply."
    )
    return BuildEstimate(
        papers=len(papers),
        counted=len(sample),
        questions_low=asked[0],
        questions_high=asked[1],
        tokens_low=sent[0] + received[0],
        tokens_high=sent[1] + received[1],
        cost_low=f"{cost[0]:.2f}",
        cost_high=f"{cost[1]:.2f}",
        basis=" ".join(basis.split()),
    )
