"""What a GGUF file is for, judged by its content and not by its name."""

from __future__ import annotations

from enum import StrEnum

from desktop.inference.model_files.gguf import GgufFile


class ModelKind(StrEnum):
    TEXT = "text"
    """Writes text: can be a candidate."""
    EMBEDDING = "embedding"
    RERANKER = "reranker"
    PROJECTOR = "projector"
    """The eyes or ears of another model (mmproj)."""
    ADAPTER = "adapter"
    """A LoRA or control vector: changes another model."""
    VOCABULARY = "vocabulary"
    """A tokenizer without weights."""
    OTHER = "other"
    """Image generation, speech, calibration data: nothing that answers a prompt."""


KIND_TEXT: dict[ModelKind, str] = {
    ModelKind.TEXT: "Writes text.",
    ModelKind.EMBEDDING: "An embedding model: it turns text into numbers for searching; it answers no prompt.",
    ModelKind.RERANKER: "A reranker: it sorts search results; it answers no prompt.",
    ModelKind.PROJECTOR: "The picture or sound part of another model: it cannot run alone.",
    ModelKind.ADAPTER: "An adapter that changes another model: it cannot run alone.",
    ModelKind.VOCABULARY: "Only a vocabulary: it holds no weights.",
    ModelKind.OTHER: "No text model: it cannot answer a prompt.",
}

_ENCODERS = frozenset(
    {
        *("bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "neo-bert"),
        *("eurobert", "t5encoder", "gemma-embedding", "llama-embed"),
    }
)
_OTHER = frozenset(
    {
        *("flux", "sd1", "sd2", "sd3", "sdxl", "aura", "hidream", "cosmos", "ltxv", "hyvid", "wan", "lumina2"),
        *("qwen_image", "pig", "wavtokenizer-dec", "whisper", "imatrix"),
    }
)
_POOLING_RANK = 4


def model_kind(file: GgufFile) -> ModelKind:
    """Any readable file has a kind. Judged by `general.type`, architecture, pooling, and the tensors."""
    declared = (file.text("general.type") or "").lower()
    architecture = (file.architecture or "").lower()
    if declared == "adapter" or "adapter.type" in file.metadata or architecture == "controlvector":
        return ModelKind.ADAPTER
    if declared == "mmproj" or architecture == "clip":
        return ModelKind.PROJECTOR
    if declared in ("imatrix", "dataset") or architecture in _OTHER or not architecture:
        return ModelKind.OTHER
    names = {tensor.name for tensor in file.tensors}
    if any(name.endswith((".lora_a", ".lora_b")) for name in names):
        return ModelKind.ADAPTER
    pooling = file.metadata.get(f"{architecture}.pooling_type")
    if (
        pooling == _POOLING_RANK
        or "cls.output.weight" in names
        or f"{architecture}.classifier.output_labels" in (file.metadata)
    ):
        return ModelKind.RERANKER
    if architecture in _ENCODERS or (isinstance(pooling, int) and pooling > 0):
        return ModelKind.EMBEDDING
    if file.metadata.get(f"{architecture}.attention.causal") is False:
        return ModelKind.EMBEDDING
    if not names:
        return ModelKind.VOCABULARY if file.count("tokenizer.ggml.tokens") else ModelKind.OTHER
    if not any(name.startswith("token_embd") for name in names):
        return ModelKind.OTHER
    return ModelKind.TEXT
