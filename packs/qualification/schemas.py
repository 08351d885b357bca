"""What each file of a qualification pack must hold: qualification-pack format, sections 2.2 to 2.9."""

from __future__ import annotations

from packs.qualification.schema import (
    Anything,
    Boolean,
    Group,
    Listing,
    Nullable,
    NumberSpec,
    OneOf,
    Spec,
    Text,
)

FULL = Text(min_length=1)
SEVERITY = OneOf(("low", "medium", "high", "critical"))
FRACTION = NumberSpec(minimum=0, maximum=1)
POSITIVE = NumberSpec(minimum=1, whole=True)
OPERATOR = OneOf(("gte", "gt", "lte", "lt", "eq"))
SHA256 = Text(pattern=r"^sha256:[0-9a-f]{64}$", pattern_text="Write sha256: and 64 lower-case hex digits.")
VERSION = Text(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$", pattern_text="Write three whole numbers: 1.0.0.")
WORDY = Text(min_length=20)

CONDITIONS = (
    "confidence_interval_straddles_threshold",
    "realised_coverage_below_minimum",
    "repeat_run_variance_above_max",
    "required_evaluator_failed",
    "insufficient_sample",
    "mandatory_metadata_missing",
    "judge_uncertainty",
    "calibration_invalid",
)
"""The names `indeterminate_when` may list (section 14.3)."""

TRIGGERS = (
    "model_weights",
    "model_revision",
    "quantization",
    "system_prompt",
    "retrieval_corpus",
    "pack_version",
    "threshold_change",
    "evaluator_version",
    "inference_engine_version",
    "serving_config",
    "sampling_parameters",
    "chat_template",
    "runner_version",
    "hardware_topology",
    "driver_version",
    "operator",
)
TRIGGER_GROUPS = ("always_requalify", "review_required", "no_material_impact")

ARTIFACTS = (
    "corpus",
    "calibration",
    "challenge",
    "rubrics",
    "evaluators",
    "thresholds",
    "qualification_policy",
    "triggers",
    "mappings",
    "methodology",
)

MANIFEST: Spec = Group(
    required={
        "pack": Group(
            required={
                "id": Text(
                    pattern=r"^[a-z0-9][a-z0-9._-]*$",
                    pattern_text="Begin with a-z or 0-9; use only a-z, 0-9, '.', '_' and '-'.",
                ),
                "version": VERSION,
                "content_sha256": Nullable(SHA256),
            }
        ),
        "metadata": Group(required={"name": FULL, "domain": FULL, "use_case": FULL, "language": FULL}),
        "runner": Group(required={"minimum_version": VERSION}),
        "intended_use": FULL,
        "out_of_scope": Listing(FULL, min_items=1),
        "interface": Group(required={"type": OneOf(("openai-compatible",)), "path": FULL}),
        "risk_dimensions": Listing(
            Group(required={"id": FULL, "description": FULL, "severity": SEVERITY}), min_items=1
        ),
        "coverage": Group(
            required={
                "dimensions": Group(others=Listing(FULL, min_items=1), min_entries=1),
                "minimum_realised": FRACTION,
            },
            optional={"model": Text()},
        ),
        "sampling": Group(
            required={
                "temperature": NumberSpec(minimum=0),
                "top_p": FRACTION,
                "seed": NumberSpec(whole=True),
                "max_tokens": POSITIVE,
            }
        ),
        "reproducibility": Group(
            required={
                "repeat_runs": POSITIVE,
                "variance_subset_fraction": NumberSpec(above=0, maximum=1),
                "max_metric_variance": NumberSpec(minimum=0),
            }
        ),
        "artifacts": Group(required=dict.fromkeys(ARTIFACTS, FULL)),
    },
    optional={
        "request_extras": Group(others=Anything()),
        "fingerprint_requirements": Group(required={"mandatory": Listing(Text())}),
    },
)

EVALUATORS: Spec = Group(
    required={
        "evaluators": Listing(
            Group(
                required={
                    "id": FULL,
                    "version": FULL,
                    "type": FULL,
                    "kind": OneOf(("deterministic", "reference", "judge")),
                    "model_use": OneOf(("none", "declared")),
                    "config": Group(
                        optional={"allowed_values": Group(others=Listing(Text(), min_items=1, distinct=True))},
                        others=Anything(),
                    ),
                },
                optional={"judge": Group(others=Anything())},
            ),
            min_items=1,
        ),
        "tests": Listing(
            Group(
                required={
                    "id": FULL,
                    "metric": FULL,
                    "rubric": FULL,
                    "severity": SEVERITY,
                    "risk_dimensions": Listing(Text(), min_items=1),
                    "corpus": Listing(OneOf(("qualification", "challenge")), min_items=1),
                },
                optional={"evaluator": FULL, "evaluators": Listing(Text(), min_items=1)},
            ),
            min_items=1,
        ),
    }
)

THRESHOLDS: Spec = Group(
    required={
        "metrics": Listing(
            Group(
                required={
                    "id": Text(),
                    "test": Text(),
                    "definition": WORDY,
                    "aggregation": OneOf(("pass_rate", "failure_rate")),
                    "population": OneOf(("all", "applicable")),
                    "minimum_sample_size": POSITIVE,
                }
            ),
            min_items=1,
        ),
        "thresholds": Listing(
            Group(
                required={
                    "metric": Text(),
                    "operator": OPERATOR,
                    "threshold": NumberSpec(),
                    "rationale": WORDY,
                    "rationale_ref": Text(),
                }
            ),
            min_items=1,
        ),
    }
)

POLICY: Spec = Group(
    required={
        "qualification": Group(
            required={
                "mode": OneOf(("threshold",)),
                "requirements": Listing(
                    Group(
                        required={
                            "metric": Text(),
                            "operator": OPERATOR,
                            "threshold": NumberSpec(),
                            "mandatory": Boolean(),
                            "rationale_ref": Text(),
                        }
                    ),
                    min_items=1,
                ),
                "critical_failures": Group(required={"metric": Text(), "maximum": NumberSpec(minimum=0)}),
                "indeterminate_when": Listing(OneOf(CONDITIONS), min_items=1),
            },
            optional={"challenge_critical_failures": Group(required={"metric": Text(), "maximum": FRACTION})},
        )
    }
)

TRIGGER_LISTS: Spec = Group(
    required={"triggers": Group(required=dict.fromkeys(TRIGGER_GROUPS, Listing(OneOf(TRIGGERS))))}
)

MAPPINGS: Spec = Group(
    required={
        "mappings": Listing(
            Group(
                required={
                    "id": Text(),
                    "metric": Text(),
                    "evidence": Listing(Text(), min_items=1),
                    "customer_control": Text(),
                    "framework_reference": Nullable(Text(), keyword="type"),
                }
            )
        )
    }
)

RUBRIC: Spec = Group(
    required={
        "rubric": Group(
            required={
                "id": FULL,
                "version": FULL,
                "criterion": FULL,
                "scale": FULL,
                "known_limitations": FULL,
                "evaluator_type": OneOf(("deterministic", "reference", "judge")),
                "failure_conditions": Listing(FULL, min_items=1),
                "severity": SEVERITY,
                "examples": Group(
                    required={
                        "pass": Listing(Anything(), min_items=1),
                        "fail": Listing(Anything(), min_items=1),
                    }
                ),
            }
        )
    }
)

CASE: Spec = Group(
    required={
        "case_id": FULL,
        "category": FULL,
        "severity": FULL,
        "input": Group(
            required={
                "messages": Listing(
                    Group(required={"role": OneOf(("system", "user", "assistant")), "content": Text()}),
                    min_items=1,
                )
            }
        ),
        "expected": Group(
            required={"label": Text(), "required_behaviour": Text()},
            optional={"required_facts": Listing(Text()), "prohibited_claims": Listing(Text())},
            others=Anything(),
        ),
        "coverage": Group(others=Text(), min_entries=1),
        "provenance": OneOf(("synthetic", "expert-authored", "customer-derived", "public-benchmark")),
        "sensitive": Boolean(),
    },
    optional={"metadata": Group(others=Anything()), "notes": Text()},
)
