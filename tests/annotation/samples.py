"""A rubric with every kind of question that matters to a form, and answers that complete it."""

QUESTIONS = [
    {
        "key": "correctness",
        "text": "Is the proof correct?",
        "scale": "correctness",
        "positive": "correct",
        "anchors": {"correct": "Every step holds.", "incorrect": "A step fails."},
    },
    {"key": "rigour", "text": "How rigorous is it?", "scale": "ordinal"},
    {"key": "remarks", "text": "Anything else?", "scale": "text", "required": False},
]
COMPLETE = {"answers": {"correctness": "incorrect", "rigour": "2"}}
