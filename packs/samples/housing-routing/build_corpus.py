"""Rebuilds the three corpora of this pack, byte for byte: `python build_corpus.py`.

Standard library only. The sentences are invented. Each plain sentence is used once as it stands, and some also
with a long introduction or with slips of the keyboard, which a model has to read through.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent

PLAIN = {
    "heating": [
        "The radiator in our living room has been cold since Sunday.",
        "There is no hot water in the whole flat this morning.",
        "The heating knocks all night and the bedroom stays at 16 degrees.",
        "Could somebody bleed the radiators on the third floor?",
        "Warm water comes only after ten minutes, it used to take one.",
        "The thermostat shows an error and does not react any more.",
    ],
    "electricity": [
        "Half of our sockets have been dead since yesterday evening.",
        "The light in the stairwell of number 8 does not come on.",
        "The fuse for the kitchen goes as soon as the oven is on.",
        "Our doorbell has had no power since the new meter was put in.",
        "The cellar light stays on day and night.",
        "The meter cupboard hums loudly and the lamps flicker.",
    ],
    "lift": [
        "The lift in house C stops between the second and third floor.",
        "The lift doors close before anybody can get in with a pram.",
        "The button for the fifth floor is broken.",
        "Nobody has repaired the lift since last Thursday.",
        "The lift jerks when it starts and smells of oil.",
        "The display in the lift shows the wrong floor.",
    ],
    "access": [
        "My key no longer turns in the front door.",
        "I lost the key to the bicycle cellar and need another one.",
        "The electric door opener only works from inside.",
        "The lock of our letter box was broken open.",
        "The garage gate does not open with the new remote control.",
        "Please take my former flatmate off the list for the key cards.",
    ],
    "billing": [
        "I think the heating costs in my statement were counted twice.",
        "Why did the rent go up by 24 euros in October?",
        "Please send me the service charge statement for last year again.",
        "My deposit has not been paid back although I moved out in June.",
        "I would like to pay by standing order, which account do I use?",
        "There is a reminder for a bill that I paid two weeks ago.",
    ],
    "noise": [
        "The people above us move furniture after midnight every day.",
        "A dog has been barking in the yard since early morning.",
        "Music from the shop below can be heard until two o'clock.",
        "Building work starts at six in the morning on Saturdays.",
        "Children play football in the corridor of the fourth floor.",
        "The ventilation of the restaurant drones all night.",
    ],
    "hazard": [
        "It smells of gas in the stairwell of number 12.",
        "Water is pouring through the ceiling onto the light switch.",
        "A piece of the balcony above the entrance fell onto the pavement.",
        "There is smoke coming from the cellar window.",
        "Somebody is stuck in the lift and does not answer.",
        "The outside wall of the garage leans towards the playground.",
        "A bare cable hangs across the stairs at child height.",
        "The carbon monoxide alarm in our flat will not stop.",
        "The handrail on the fourth floor came off and hangs over the stairwell.",
        "Burning smell from the meter cupboard, the plastic is melting.",
    ],
}
VAGUE = {
    "heating": ["It is the same as last winter again.", "Not warm. Please come."],
    "electricity": ["It goes off all the time.", "Since the man was here nothing works."],
    "lift": ["It is stuck again.", "Still not moving, you know which one."],
    "access": ["I cannot get in there any more.", "The thing you gave me does not fit."],
    "billing": ["I do not agree with this.", "Your letter is wrong, please change it."],
    "noise": ["It happened again last night.", "They are at it once more."],
}
HARD = [
    ("hazard", "escalate", "Nothing urgent, but the flat has had a sweetish gas smell since the boiler man left."),
    ("hazard", "escalate", "The lamp hisses when it rains, and my son got a small shock from it. Funny, is it not?"),
    ("hazard", "escalate", "I only wanted to ask about my bill. By the way, the hall is full of smoke."),
    ("hazard", "escalate", "The crack over the front door is now wide enough for my hand."),
    ("heating", "classify", "We sit here in our coats although the bill for it is higher than ever."),
    ("heating", "classify", "The shower gives me a choice of cold and colder."),
    ("electricity", "classify", "Every time the lift moves, our lamps go dark for a second."),
    ("electricity", "classify", "The bell works, the opener works, only the light beside them does not."),
    ("lift", "classify", "It opens, it closes, it opens, it closes, and never goes anywhere."),
    ("lift", "classify", "My mother in her wheelchair has not left the sixth floor for four days."),
    ("access", "classify", "Since the new locks came, the post leaves everything on the pavement."),
    ("access", "classify", "I have three keys and none of them is mine."),
    ("billing", "classify", "You heat an empty flat and I pay for it, according to page 3."),
    ("billing", "classify", "I paid the lift for a ground-floor flat again this year."),
    ("noise", "classify", "The lift is right behind my bed and I hear every single ride."),
    ("noise", "classify", "He sings. Every night. The same song."),
    ("billing", "abstain", "See my last message, it still holds."),
    ("heating", "abstain", "It makes that sound again."),
    ("access", "abstain", "He has it and I do not."),
    ("noise", "abstain", "Number 9, as always."),
]
CALIBRATION = [
    ("heating", "classify", "The towel rail in the bathroom stays cold.", True, None),
    ("electricity", "classify", "The socket beside the bath sparks blue light, no danger I guess.", True, None),
    ("lift", "classify", "The lift waits on the ground floor with open doors.", True, None),
    ("access", "classify", "The barrier of the car park does not know my card.", True, None),
    ("billing", "classify", "The sum on page two is not the sum on page three.", True, None),
    ("noise", "classify", "A pump in the yard runs at night.", True, None),
    ("hazard", "escalate", "Two steps of the outside stairs broke away.", True, None),
    ("hazard", "escalate", "It smells of gas beside the washing machines.", False, "critical_misroute"),
    ("heating", "classify", "The boiler shows F28 and is silent.", False, "label_mismatch"),
    ("billing", "abstain", "About the matter of last week.", False, "abstain_miss"),
    ("noise", "abstain", "You know what I mean.", True, None),
    ("lift", "classify", "The mirror in the lift fell down.", False, "label_mismatch"),
]
OPENINGS = [
    "Good morning, I have lived here for eleven years and never complained, so please read this to the end. ",
    "Dear team, my neighbour said I should write to you and that you would surely help, thank you in advance. ",
    "Hello, sorry to bother you in the holidays, I know you have much to do and this is perhaps a small thing. ",
]
CHANNELS = ("email", "web_form", "phone_note")
URGENCY = {"hazard": "high", "lift": "medium", "heating": "medium", "electricity": "medium"}


def misspelt(text: str) -> str:
    """The same slips every time: doubled letters lost, neighbours swapped in the first and every third long word."""
    words = text.split(" ")
    long = [index for index, word in enumerate(words) if len(word) > 4 and word[2] != word[3]]
    for index in long[::3]:
        word = words[index]
        words[index] = word[:2] + word[3] + word[2] + word[4:]
    return " ".join(words).replace("ll", "l").replace("tt", "t")


def case(
    number: int, prefix: str, label: str, handling: str, character: str, text: str, **extra: object
) -> dict[str, object]:
    metadata = dict(extra.pop("metadata", {}))  # type: ignore[call-overload]
    if character == "ambiguous":
        metadata["ambiguity"] = "soft"
    return {
        "case_id": f"{prefix}-{number:04d}",
        "category": f"{label}_{character}",
        "severity": "critical" if label == "hazard" else "medium",
        "input": {"messages": [{"role": "user", "content": text}]},
        "expected": {"label": label, "required_behaviour": handling},
        "coverage": {
            "topic": label,
            "input_character": character,
            "urgency": URGENCY.get(label, "low"),
            "handling": handling,
            "channel": CHANNELS[number % 3],
        },
        "provenance": "expert-authored",
        "metadata": metadata,
        "sensitive": bool(extra.pop("sensitive", False)),
    }


def qualification() -> list[dict[str, object]]:
    found: list[tuple[str, str, str, str]] = []
    for label, sentences in PLAIN.items():
        handling = "escalate" if label == "hazard" else "classify"
        found.extend((label, handling, "plain", sentence) for sentence in sentences)
        for index in (0, 3):
            found.append((label, handling, "long", OPENINGS[index % 3] + sentences[index]))
        for index in (1, 4):
            found.append((label, handling, "misspelt", misspelt(sentences[index])))
    # Some of the long and misspelt ones are left out: the cases that stay are enough for the thresholds.
    kept = [row for row in found if not (row[2] == "misspelt" and row[0] in ("access", "noise"))]
    kept = [row for row in kept if not (row[2] == "long" and row[0] in ("lift", "billing", "noise"))]
    for label, sentences in VAGUE.items():
        kept.extend((label, "abstain", "ambiguous", sentence) for sentence in sentences)
    cases = [case(number, "TQ", *row) for number, row in enumerate(kept, 1)]
    for entry in cases:
        if "lost the key" in entry["input"]["messages"][0]["content"]:  # type: ignore[index]
            entry["sensitive"] = True
    return cases


def challenge() -> list[dict[str, object]]:
    cases = []
    for number, (label, handling, text) in enumerate(HARD, 1):
        character = "ambiguous" if handling == "abstain" else "plain"
        cases.append(case(number, "TC", label, handling, character, text))
    return cases


def calibration() -> list[dict[str, object]]:
    cases = []
    for number, (label, handling, text, passed, failure) in enumerate(CALIBRATION, 1):
        answer = {"label": label, "behaviour": handling}
        if failure == "abstain_miss":
            answer["behaviour"] = "classify"
        elif failure:
            answer["label"] = "noise" if label != "noise" else "billing"
        metadata: dict[str, object] = {"candidate_output": answer, "human_passed": passed}
        if failure:
            metadata["human_failure_type"] = failure
        character = "ambiguous" if handling == "abstain" else "plain"
        cases.append(case(number, "TK", label, handling, character, text, metadata=metadata))
    return cases


def written(cases: list[dict[str, object]]) -> bytes:
    lines = [json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for entry in cases]
    return ("\n".join(lines) + "\n").encode("utf-8")


CORPORA = {"qualification": qualification, "challenge": challenge, "calibration": calibration}


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name, build in CORPORA.items():
        (target / f"{name}.jsonl").write_bytes(written(build()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus")
