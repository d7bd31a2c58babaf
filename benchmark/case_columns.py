"""The columns of a case study: those that a protocol declares, or one for each predicate and measure. Pure."""

from collections.abc import Callable

from benchmark.protocol import Case, CaseColumn, Measure, Protocol


def case_columns(protocol: Protocol) -> tuple[CaseColumn, ...]:
    """In the order in which they are shown."""
    if protocol.case_columns:
        return protocol.case_columns
    asked = [
        CaseColumn(
            key,
            key.replace("_", " ").capitalize(),
            f"What the judge says to {key}.",
            label_of(key),
            needs=(key,),
        )
        for key in (predicate.key for predicate in protocol.predicates)
    ]
    return (*asked, *(measure_column(measure) for measure in protocol.measures))


def label_of(predicate: str) -> Callable[[Case], str]:
    """Reads the judge's label of `predicate`."""
    return lambda case: case.labelled.labels.get(predicate, "")


def measure_column(measure: Measure) -> CaseColumn:
    """The measure's value: yes or no if it is binary, else its digits."""

    def value(case: Case) -> str:
        found = measure.value(case.instance, case.output)
        if found is None:
            return ""
        return ("yes" if found else "no") if measure.binary else f"{found:.3f}"

    return CaseColumn(measure.key, measure.title, measure.definition, value, is_text=not measure.binary)
