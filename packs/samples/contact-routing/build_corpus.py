"""Rebuilds the three corpora of this pack, byte for byte: `python build_corpus.py`.

Standard library only. The sentences are invented.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent

PLAIN = {
    "account": [
        "I forgot my password and the reset mail goes to my old address.",
        "Please change my surname in my profile, I got married.",
        "How do I end my membership at the end of the term?",
        "My student card was renewed, where do I enter the new number?",
        "I cannot find where to switch off the weekly newsletter.",
        "Two profiles exist with my name, please join them.",
        "The page says that my membership ran out, but I renewed it in May.",
        "Can my daughter use the library with my card?",
    ],
    "billing": [
        "I was charged a late fee for a book that I gave back in time.",
        "Please send me an invoice for the annual fee, my employer pays it.",
        "The direct debit was taken twice this month.",
        "When will I get back the fee for the course that was cancelled?",
        "Why is the member price not shown when I pay?",
        "My voucher of ten euros was not accepted.",
        "I need a receipt for last year's fees for my tax return.",
        "The fee for guests went up and nobody told us.",
    ],
    "lending": [
        "Can I renew the two atlases that are due on Friday?",
        "I have waited for the third volume for six weeks, where am I in the queue?",
        "The e-book went back by itself before I had finished it.",
        "How many films may I borrow at once?",
        "Please cancel my hold for the Spanish grammar.",
        "The audio book that I reserved went to somebody else.",
        "Is it possible to borrow a book from the university library through you?",
        "I gave back the wrong book by mistake, how do I get it back?",
    ],
    "technical": [
        "The app closes as soon as I open the second chapter.",
        "Downloads stop at 99 percent on my tablet.",
        "The search finds nothing when I type an umlaut.",
        "Page 40 of the scanned newspaper is black.",
        "Since the update the reader forgets where I stopped.",
        "The audio player plays at double speed and cannot be slowed down.",
        "Your page asks for cookies again on every click.",
        "The letters in the reader are too small and zoom does nothing.",
    ],
    "security": [
        "Somebody borrowed nine books with my card and it was not me.",
        "I got a mail that looks like yours and asks for my card number and PIN.",
        "After logging in I see the loans and the address of another person.",
        "My profile shows a login from another country last night.",
        "Your public list of holds shows full names and birthdays.",
        "A man at the desk next to me photographed my login.",
        "The password I use with you turned up in a list on the internet.",
        "Someone changed the mail address in my profile, I am locked out.",
        "A link in your newsletter leads to a page that asks for my bank login.",
        "I can open other readers' invoices by changing the number in the address.",
        "A caller said he was from the library and wanted my PIN.",
        "My card was stolen together with my purse this morning.",
    ],
}
VAGUE = {
    "account": ["It still says no.", "Please do the same as last time.", "Why me again?", "I want it gone."],
    "billing": ["This cannot be right.", "I will not do that.", "See attachment.", "Again the same letter."],
    "lending": ["Where is it?", "I have been waiting for so long.", "It is not the one.", "Is it mine now?"],
    "technical": ["Does not work.", "It hangs.", "I see nothing.", "Since yesterday everything is different."],
}
HARD = [
    ("security", "escalate", "Funny, I seem to have a taste for crime novels that I never borrowed."),
    ("security", "escalate", "Thanks for the refund mail! I only had to enter my card number, but no money came."),
    ("security", "escalate", "Small thing: the app greets me as Mr Baker. I am not Mr Baker, but I see his loans."),
    ("account", "classify", "Your form wants a house number. The lighthouse has none."),
    ("account", "classify", "I have been a guest for nine years and would like to arrive."),
    ("billing", "classify", "You thanked me for my payment and reminded me of it on the same day."),
    ("billing", "classify", "I paid for a year and got eleven months of it."),
    ("lending", "classify", "The book came back to you before it ever came to me."),
    ("lending", "classify", "Number one in the queue since spring, and the queue does not move."),
    ("technical", "classify", "The reader turns two pages at a time, so I only know half of the plot."),
    ("technical", "classify", "The app drinks my battery faster than I read."),
    ("technical", "abstain", "As I told your colleague."),
    ("billing", "abstain", "No."),
    ("lending", "abstain", "The other one, please."),
    ("account", "abstain", "You have my details."),
]
CALIBRATION = [
    ("account", "classify", "My new address is not taken over.", None, None),
    ("billing", "classify", "The fee was taken in francs.", None, None),
    ("lending", "classify", "My hold went to the wrong branch.", None, None),
    ("technical", "classify", "The sound is missing in the language course.", None, None),
    ("security", "escalate", "Loans on my card that I know nothing of.", None, None),
    ("security", "escalate", "Someone asked me for my PIN in your name.", "critical_misroute", "security_to_billing"),
    ("technical", "abstain", "It is back.", "abstain_miss", "vague_not_held"),
    ("billing", "abstain", "And now?", None, None),
    ("lending", "classify", "Twelve weeks for one book.", "label_mismatch", None),
    ("account", "classify", "I am called Li, which your form finds too short.", None, None),
    ("security", "escalate", "A stranger got my reading list by mail.", None, None),
    ("technical", "classify", "The page is upside down on my phone.", None, None),
]
OPENINGS = [
    "Hello, I have read with you since the first day and always liked it, so please take a minute for this. ",
    "Dear service team, my sister told me that you answer quickly and that is why I write instead of calling. ",
]
READERS = ("student", "member", "guest")


def misspelt(text: str) -> str:
    """The same slips every time: neighbours swapped in every third long word, double letters lost."""
    words = text.split(" ")
    long = [index for index, word in enumerate(words) if len(word) > 4 and word[1] != word[2]]
    for index in long[::3]:
        word = words[index]
        words[index] = word[:1] + word[2] + word[1] + word[3:]
    return " ".join(words).replace("oo", "o").replace("ss", "s")


def case(number: int, prefix: str, label: str, handling: str, character: str, text: str) -> dict[str, object]:
    return {
        "case_id": f"{prefix}-{number:04d}",
        "category": f"{label}_{character}",
        "severity": "critical" if label == "security" else "medium",
        "input": {"messages": [{"role": "user", "content": text}]},
        "expected": {"label": label, "required_behaviour": handling},
        "coverage": {
            "topic": label,
            "input_character": character,
            "handling": handling,
            "reader": READERS[number % 3],
        },
        "provenance": "expert-authored" if number % 2 else "synthetic",
        "metadata": {},
        "sensitive": label == "security" and number % 4 == 0,
    }


def qualification() -> list[dict[str, object]]:
    found: list[tuple[str, str, str, str]] = []
    for label, sentences in PLAIN.items():
        handling = "escalate" if label == "security" else "classify"
        for index, sentence in enumerate(sentences):
            found.append((label, handling, "plain", sentence))
            if index == 2:
                found.append((label, handling, "long", OPENINGS[len(found) % 2] + sentence))
            if index == 5:
                found.append((label, handling, "misspelt", misspelt(sentence)))
    for label, sentences in VAGUE.items():
        found.extend((label, "abstain", "ambiguous", sentence) for sentence in sentences)
    return [case(number, "LQ", *row) for number, row in enumerate(found, 1)]


def challenge() -> list[dict[str, object]]:
    cases = []
    for number, (label, handling, text) in enumerate(HARD, 1):
        character = "ambiguous" if handling == "abstain" else "plain"
        cases.append(case(number, "LC", label, handling, character, text))
    return cases


def calibration() -> list[dict[str, object]]:
    cases = []
    for number, (label, handling, text, failure, mode) in enumerate(CALIBRATION, 1):
        answer = {"label": label, "behaviour": handling}
        if failure == "abstain_miss":
            answer["behaviour"] = "classify"
        elif failure:
            answer["label"] = "billing" if label != "billing" else "account"
        metadata: dict[str, object] = {"candidate_output": answer, "human_passed": failure is None}
        if failure:
            metadata["human_failure_type"] = failure
        if mode:
            metadata["known_failure_mode"] = mode
        character = "ambiguous" if handling == "abstain" else "plain"
        entry = case(number, "LK", label, handling, character, text)
        entry["metadata"] = metadata
        cases.append(entry)
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
