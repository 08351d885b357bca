"""About how much of the journal's file a run takes. What rows and indexes cost was measured with `dbstat`."""

from __future__ import annotations

_UNIT = 115
"""Bytes of one row of `units` with its two index entries, without the example's name."""
_ANSWER = 22
_JUDGEMENT = 14
_CANDIDATE = 300
_RUN = 400


def _bytes(*columns: str) -> str:
    return " + ".join(f"COALESCE(length(CAST({column} AS BLOB)), 0)" for column in columns)


RUN_BYTES_SQL = f"""
SELECT {_RUN} + {_bytes("r.pack_snapshot", "r.settings", "r.machine", "r.notices", "r.note")}
  + (SELECT COALESCE(SUM({_CANDIDATE} + {_bytes("prediction", "load_options", "memory_line", "notes")}), 0)
     FROM candidates WHERE run = r.number)
  + (SELECT COALESCE(SUM({_UNIT} + 2 * length(u.example)
       + CASE WHEN a.unit IS NULL THEN 0 ELSE {_ANSWER} + {_bytes("a.text", "a.reasoning")} END
       + CASE WHEN j.unit IS NULL THEN 0 ELSE {_JUDGEMENT}
         + {_bytes("j.reason", "j.failure", "j.near_misses", "j.scored_text", "j.reasoning", "j.detail")}
       END), 0)
     FROM units u LEFT JOIN answers a ON a.unit = u.id LEFT JOIN judgements j ON j.unit = u.id
     WHERE u.run = r.number)
FROM runs r WHERE r.id = ?
"""
