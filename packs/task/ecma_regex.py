"""Regular expressions as packs write them: ECMAScript syntax with the Unicode flag (task-pack format, 8.4).

A pattern is read by a small parser of our own and written anew for the `regex` library, which alone can be
told to give up after a while. What ECMAScript refuses is refused here; needless escapes are let through.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packs.task.text import BLANK_CLASS

if TYPE_CHECKING:
    import regex

TIME_LIMIT_S = 0.1
"""For one pattern on one output."""
MAX_PATTERN_LENGTH = 20_000
MAX_GROUP_DEPTH = 100
MAX_REPEAT = 100_000
MAX_SIZE = 100_000
"""Signs of a pattern with its counted repeats written out: the library needs memory for each of them."""

_WORD = "0-9A-Za-z_"
_CLASS_ESCAPES = {"d": "0-9", "w": _WORD, "s": BLANK_CLASS}
_CONTROL = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_BOUNDARY = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NOT_BOUNDARY = f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_GROUP_NAME = re.compile(r"[^\W\d][\w]*|\$[\w$]*")
_PROPERTY = re.compile(r"(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?[A-Z][A-Za-z_0-9]*")
_SMALL_PROPERTIES = {"punct": "P", "cntrl": "Cc", "digit": "Nd"}
"""The only names of properties that begin with a small letter."""
_QUANTIFIER = re.compile(r"\{(\d+)(,(\d*))?\}")


class BadPattern(ValueError):
    """The pattern cannot be used. `reason` is a sentence; `offset` the place in code points."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class SlowPattern(Exception):
    """A pattern took longer on one text than it may."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


class EcmaPattern:
    """A compiled pattern. Raises BadPattern when it is not ECMAScript (Unicode mode) or too large."""

    def __init__(self, source: str) -> None:
        import regex

        self.source = source
        translator = _Translator(source)
        translated = translator.run()
        self.size = translator.size
        try:
            self._compiled: regex.Pattern[str] = regex.compile(translated, regex.V1)
        except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
            raise BadPattern(f"It cannot be read: {getattr(error, 'msg', error)}.", 0) from None

    def found_in(self, text: str, time_limit_s: float = TIME_LIMIT_S) -> bool:
        """Does it match anywhere? Raises SlowPattern after `time_limit_s` seconds."""
        try:
            return self._compiled.search(text, timeout=time_limit_s) is not None
        except (TimeoutError, MemoryError):
            raise SlowPattern(self.source) from None


def translate(source: str) -> str:
    """The pattern in the syntax of the `regex` library, version 1 behaviour. Raises BadPattern."""
    return _Translator(source).run()


def is_slow(pattern: EcmaPattern, time_limit_s: float = TIME_LIMIT_S) -> bool:
    """Does it reach the time limit on texts made to provoke it? A 'no' is no proof."""
    for text in _provoking_texts(pattern.source):
        try:
            pattern.found_in(text, time_limit_s)
        except SlowPattern:
            return True
    return False


def _provoking_texts(source: str) -> list[str]:
    """Long runs of what the pattern seems to want, ended by something it does not."""
    wanted: list[str] = []
    samples = {"d": "1", "w": "a", "s": " ", "S": "a", "D": "a", "W": "-", ".": "a"}
    for match in re.finditer(r"\\?(.)", source, re.DOTALL):
        char = match[1]
        sample = samples.get(char) if match[0][0] == "\\" or char == "." else None
        if sample is None and char not in "\\^$*+?()[]{}|":
            sample = char
        if sample and sample not in wanted:
            wanted.append(sample)
    if "[^" in source or not wanted:
        wanted = ["a", *[char for char in wanted if char != "a"]]
    wanted = wanted[:6]
    texts = [char * length + "\x00" for char in wanted for length in (40, 3000)]
    if len(wanted) > 1:
        texts += ["".join(wanted[:2]) * 1500 + "\x00", "".join(wanted) * 600 + "\x00"]
    return texts


class _Translator:
    def __init__(self, source: str) -> None:
        if len(source) > MAX_PATTERN_LENGTH:
            raise BadPattern(f"It is longer than {MAX_PATTERN_LENGTH:,} characters.", MAX_PATTERN_LENGTH)
        self.source = source
        self.at = 0
        self.out: list[str] = []
        self.groups, self.names = _count_groups(source)
        self.size = 0  # of what is open now, repeats written out
        self.last = 0  # of the atom before

    def fail(self, reason: str, offset: int | None = None) -> BadPattern:
        return BadPattern(reason, self.at if offset is None else offset)

    def peek(self, count: int = 1) -> str:
        return self.source[self.at : self.at + count]

    def run(self) -> str:
        depth = 0
        stack: list[tuple[bool, int]] = []  # may the open group be repeated? and the size outside of it
        quantifiable = False
        while self.at < len(self.source):
            char = self.peek()
            if char == "(":
                depth += 1
                if depth > MAX_GROUP_DEPTH:
                    raise self.fail(f"Its groups are nested more than {MAX_GROUP_DEPTH} deep.")
                stack.append((self._open_group(), self.size))
                self.size = 0
                quantifiable = False
            elif char == ")":
                if not stack:
                    raise self.fail("A ')' has no '(' before it.")
                depth -= 1
                quantifiable, outside = stack.pop()
                self.last = self.size + 1
                self.size = outside + self.last
                self._put(")")
            elif char in "*+?{":
                self._quantifier(quantifiable)
                quantifiable = False
            elif char in "]}":
                raise self.fail(f"A lone '{char}' must be written '\\{char}'.")
            else:
                quantifiable = self._atom(char)
                self.last = 1
                self.size += 1
        if stack:
            raise self.fail("A '(' is never closed.")
        return "".join(self.out)

    def _put(self, text: str, length: int = 1) -> None:
        self.out.append(text)
        self.at += length

    def _atom(self, char: str) -> bool:
        """One atom or assertion; returns whether it may be repeated."""
        if char == "|":
            self._put("|")
            return False
        if char == "^":
            self._put(r"\A")
            return False
        if char == "$":
            self._put(r"\Z")
            return False
        if char == ".":
            self._put(r"[^\n\r\u2028\u2029]")
        elif char == "[":
            self.out.append(self._character_class())
        elif char == "\\":
            return self._escape()
        else:
            self._put(_literal(ord(char)))
        return True

    def _open_group(self) -> bool:
        """Writes the opening of a group; returns whether the group may be repeated."""
        for opening, repeatable in (
            ("(?:", True),
            ("(?=", False),
            ("(?!", False),
            ("(?<=", False),
            ("(?<!", False),
        ):
            if self.peek(len(opening)) == opening:
                self._put(opening, len(opening))
                return repeatable
        if self.peek(3) == "(?<":
            end = self.source.find(">", self.at)
            name = self.source[self.at + 3 : end] if end > 0 else ""
            if not _GROUP_NAME.fullmatch(name):
                raise self.fail("A group's name is written '(?<name>…)' with letters, digits and '_'.")
            self._put("(", end + 1 - self.at)  # numbered alike; names are resolved here
            return True
        if self.peek(2) == "(?":
            raise self.fail(f"'{self.peek(3)}' is not known in this kind of pattern.")
        self._put("(")
        return True

    def _quantifier(self, quantifiable: bool) -> None:
        start = self.at
        if self.peek() == "{":
            match = _QUANTIFIER.match(self.source, self.at)
            if match is None:
                raise self.fail("A lone '{' must be written '\\{'.")
            low = int(match[1]) if len(match[1]) < 9 else MAX_REPEAT + 1
            high = (int(match[3]) if len(match[3]) < 9 else MAX_REPEAT + 1) if match[3] else low
            if max(low, high) > MAX_REPEAT:
                raise self.fail(f"It repeats more than {MAX_REPEAT:,} times.")
            if match[3] and high < low:
                raise self.fail("The two numbers in '{…}' are the wrong way round.")
            self.size += self.last * (max(low, 1) - 1)  # what may be left out needs no memory
            if self.size > MAX_SIZE:
                raise self.fail("Its counted repeats are too large together.")
            text = match[0]
        else:
            text = self.peek()
        if not quantifiable:
            raise self.fail(f"Nothing stands before '{text}' that could be repeated.", start)
        self.at += len(text)
        if self.peek() == "?":
            text += "?"
            self.at += 1
        self.out.append(text)

    def _escape(self) -> bool:
        char = self.source[self.at + 1 : self.at + 2]
        if char in ("b", "B"):
            self._put(_BOUNDARY if char == "b" else _NOT_BOUNDARY, 2)
            return False
        if char == "k":
            match = re.compile(r"\\k<([^>]*)>").match(self.source, self.at)
            if match is None or match[1] not in self.names:
                raise self.fail("'\\k<name>' must name a group of this pattern.")
            self._back_reference(self.names[match[1]], len(match[0]))
        elif char and char in "123456789":
            match = re.compile(r"\\([0-9]+)").match(self.source, self.at)
            assert match is not None
            number = int(match[1]) if len(match[1]) < 6 else self.groups + 1
            if number > self.groups:
                raise self.fail(f"'{match[0]}' refers to a group that is not there.")
            self._back_reference(number, len(match[0]))
        elif char and char in "dws":
            self._put(f"[{_CLASS_ESCAPES[char]}]", 2)
        elif char and char in "DWS":
            self._put(f"[^{_CLASS_ESCAPES[char.lower()]}]", 2)
        elif char and char in "pP":
            self.out.append(self._property())
        else:
            self.out.append(_literal(self._code_point(in_class=False)))
        return True

    def _back_reference(self, number: int, length: int) -> None:
        # A group that has not taken part matches nothing in ECMAScript, and fails in the library.
        self._put(f"(?:(?({number})\\{number}|))", length)

    def _property(self) -> str:
        match = re.compile(r"\\([pP])\{([^}]*)\}").match(self.source, self.at)
        name = _SMALL_PROPERTIES.get(match[2], match[2]) if match is not None else ""
        if match is None or not _PROPERTY.fullmatch(name):
            raise self.fail("A property is written like '\\p{Lu}' or '\\p{Script=Greek}'.")
        self.at += len(match[0])
        name = name.replace("scx=", "Script_Extensions=").replace("sc=", "Script=")
        return f"\\{match[1]}{{{name}}}"

    def _code_point(self, *, in_class: bool) -> int:
        """An escape that stands for one character; moves behind it."""
        start = self.at
        char = self.source[start + 1 : start + 2]
        if not char:
            raise self.fail("It ends with a lone backslash.")
        if char in _CONTROL:
            self.at += 2
            return _CONTROL[char]
        if char == "0" and not self.source[start + 2 : start + 3].isdigit():
            self.at += 2
            return 0
        for shape in (r"\\x([0-9A-Fa-f]{2})", r"\\u\{([0-9A-Fa-f]{1,8})\}", r"\\u([0-9A-Fa-f]{4})"):
            match = re.compile(shape).match(self.source, start)
            if match is not None:
                self.at += len(match[0])
                return self._joined(int(match[1], 16))
        if char == "c" and re.match(r"[A-Za-z]", self.source[start + 2 : start + 3]):
            self.at += 3
            return ord(self.source[start + 2]) % 32
        if char == "b" and in_class:
            self.at += 2
            return 8
        if char.isascii() and (char.isalnum() or char == "_"):
            raise self.fail(f"'\\{char}' is not known in this kind of pattern.")
        self.at += 2
        return ord(char)

    def _joined(self, code: int) -> int:
        """Joins the two halves of a surrogate pair written as two escapes."""
        if code > 0x10FFFF:
            raise self.fail("There is no such character.")
        if 0xD800 <= code <= 0xDBFF:
            match = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})").match(self.source, self.at)
            if match is not None:
                self.at += len(match[0])
                return 0x10000 + ((code - 0xD800) << 10) + (int(match[1], 16) - 0xDC00)
        return code

    def _character_class(self) -> str:
        start = self.at
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        items: list[str] = []
        while self.peek() != "]":
            if not self.peek():
                raise self.fail("A '[' is never closed.", start)
            low = self._class_item()
            if self.peek() == "-" and self.peek(2) not in ("-]", "-"):
                self.at += 1
                high = self._class_item()
                if not (isinstance(low, int) and isinstance(high, int)) or high < low:
                    raise self.fail("A range in '[…]' must go from a lower to a higher character.", start)
                items.append(f"{_escaped(low)}-{_escaped(high)}")
            else:
                items.append(_escaped(low) if isinstance(low, int) else low)
        self.at += 1
        if not items:
            return r"[\s\S]" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(items)}]"

    def _class_item(self) -> int | str:
        """A code point, or the text of a whole set."""
        char = self.peek()
        if not char:
            raise self.fail("A '[' is never closed.")
        if char != "\\":
            self.at += 1
            return ord(char)
        kind = self.source[self.at + 1 : self.at + 2]
        if kind and kind in "dws":
            self.at += 2
            return _CLASS_ESCAPES[kind]
        if kind and kind in "DWS":
            self.at += 2
            return f"[^{_CLASS_ESCAPES[kind.lower()]}]"
        if kind and kind in "pP":
            return self._property()
        return self._code_point(in_class=True)


def _count_groups(source: str) -> tuple[int, dict[str, int]]:
    """How many capturing groups there are, and the numbers of the named ones."""
    count = 0
    names: dict[str, int] = {}
    in_class = False
    at = 0
    while at < len(source):
        char = source[at]
        if char == "\\":
            at += 1
        elif char == "[":
            in_class = True
        elif char == "]":
            in_class = False
        elif char == "(" and not in_class:
            named = re.compile(r"\(\?<([^=!>][^>]*)>").match(source, at)
            if named is not None or source[at : at + 2] != "(?":
                count += 1
            if named is not None:
                if named[1] in names:
                    raise BadPattern(f"Two groups are named '{named[1]}'.", at)
                names[named[1]] = count
        at += 1
    return count, names


def _literal(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else _escaped(code)


def _escaped(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
