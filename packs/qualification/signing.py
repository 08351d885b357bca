"""Ed25519 keys and signatures of a bundle: qualification-pack format, section 22."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from packs.canonical import JsonValue, digest
from packs.documents.jsonlines import document
from packs.errors import AppError

SIGN = "etalon-evidence-sign"
VERIFY = "etalon-evidence-verify"
LOCKED = "packbench-evidence-sign-locked"
PAYLOAD = "hashes.json"
SIGNATURE_KEYS = frozenset({"version", "algorithm", "payload", "payload_sha256", "public_key", "signature"})

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _P - 1,
        int.from_bytes(
            bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"
        ),
        int.from_bytes(
            bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
        ),
    }
)
"""y coordinates of the points of order 1, 2, 4 and 8: a signature by such a key proves nothing."""

_SCRYPT = {"n": 2**15, "r": 8, "p": 1}


@dataclass(frozen=True, slots=True)
class KeyPair:
    """32 bytes each."""

    seed: bytes
    public: bytes


def new_keys(seed: bytes | None = None) -> KeyPair:
    """From 32 random bytes, or from a given seed."""
    seed = seed if seed is not None else os.urandom(32)
    return KeyPair(seed, Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())


def sign(seed: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def key_refused(public: bytes) -> bool:
    """Not 32 bytes, not a canonical point, or of small order."""
    if len(public) != 32:
        return True
    y = int.from_bytes(public, "little") & (2**255 - 1)
    return y >= _P or y in _SMALL_ORDER


def signature_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Strict RFC 8032: refuses small-order and non-canonical keys and S outside the group order."""
    if key_refused(public) or len(signature) != 64:
        return False
    if int.from_bytes(signature[32:], "little") >= _ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


# key files


def public_file(keys: KeyPair) -> bytes:
    return document({"algorithm": "ed25519", "public_key": keys.public.hex(), "purpose": VERIFY})


def private_file(keys: KeyPair, passphrase: str | None = None) -> bytes:
    """The format's private file, or with a passphrase one of ours that holds the seed encrypted."""
    if passphrase is None:
        return document(
            {
                "algorithm": "ed25519",
                "public_key": keys.public.hex(),
                "purpose": SIGN,
                "seed": keys.seed.hex(),
            }
        )
    salt, nonce = os.urandom(16), os.urandom(12)
    sealed = ChaCha20Poly1305(_stretched(passphrase, salt)).encrypt(nonce, keys.seed, keys.public)
    return document(
        {
            "algorithm": "ed25519",
            "public_key": keys.public.hex(),
            "purpose": LOCKED,
            "kdf": {"name": "scrypt", **_SCRYPT},
            "cipher": "chacha20-poly1305",
            "salt": salt.hex(),
            "nonce": nonce.hex(),
            "sealed_seed": sealed.hex(),
        }
    )


def _stretched(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, **_SCRYPT).derive(passphrase.encode())


def _object(content: bytes, what: str) -> dict[str, JsonValue]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("algorithm") != "ed25519":
        raise AppError(f"This is no {what} key file.", "Give a file that 'keygen' wrote.", code="key_file")
    return found


def _hex(record: Mapping[str, JsonValue], name: str, length: int | None, what: str) -> bytes:
    value = record.get(name)
    try:
        raw = bytes.fromhex(value) if isinstance(value, str) and value == value.lower() else b""
    except ValueError:
        raw = b""
    if not raw or (length is not None and len(raw) != length):
        raise AppError(f"The {what} key file is damaged ({name}).", "Restore it from a copy.", code="key_file")
    return raw


def is_locked(content: bytes) -> bool:
    """Does this private file ask for a passphrase? Raises AppError when it is no key file."""
    return _object(content, "private").get("purpose") == LOCKED


def read_private(content: bytes, passphrase: str | None = None) -> KeyPair:
    """Raises AppError: no private key file, damaged, or a wrong or missing passphrase."""
    record = _object(content, "private")
    if record.get("purpose") == LOCKED:
        if passphrase is None:
            raise AppError(
                "This private key is locked by a passphrase.", "Give the passphrase.", code="key_locked"
            )
        keys = _unlocked(record, passphrase)
    elif record.get("purpose") == SIGN and set(record) == {"algorithm", "public_key", "purpose", "seed"}:
        keys = new_keys(_hex(record, "seed", 32, "private"))
    else:
        raise AppError("This is no private key file.", "Give the file made by --private.", code="key_file")
    if keys.public != _hex(record, "public_key", 32, "private"):
        raise AppError(
            "The two halves of this key do not belong together.", "Restore it from a copy.", code="key_file"
        )
    return keys


def _unlocked(record: Mapping[str, JsonValue], passphrase: str) -> KeyPair:
    if record.get("kdf") != {"name": "scrypt", **_SCRYPT} or record.get("cipher") != "chacha20-poly1305":
        raise AppError(
            "This key is locked in a way not known here.", "Use the program it was made by.", code="key_file"
        )
    key = _stretched(passphrase, _hex(record, "salt", 16, "private"))
    nonce = _hex(record, "nonce", 12, "private")
    sealed = _hex(record, "sealed_seed", None, "private")
    try:
        seed = ChaCha20Poly1305(key).decrypt(nonce, sealed, _hex(record, "public_key", 32, "private"))
    except InvalidTag:
        raise AppError("The passphrase is not the right one.", "Try again.", code="key_passphrase") from None
    return new_keys(seed)


def read_public(content: bytes) -> bytes:
    """32 bytes. Raises AppError also for a private file, which must not be handed round."""
    record = _object(content, "public")
    if record.get("purpose") in (SIGN, LOCKED):
        raise AppError(
            "This is the private key; it must not be given to those who check.",
            "Give the file made by --public.",
            code="private_key_given",
        )
    if record.get("purpose") != VERIFY or set(record) != {"algorithm", "public_key", "purpose"}:
        raise AppError("This is no public key file.", "Give the file made by --public.", code="key_file")
    public = _hex(record, "public_key", 32, "public")
    if key_refused(public):
        raise AppError(
            "This public key is of a kind that proves nothing.", "Ask for another key.", code="key_file"
        )
    return public


# a bundle's signature


def signature_file(keys: KeyPair, payload: bytes) -> bytes:
    """Signs the raw bytes of hashes.json."""
    return document(
        {
            "version": 1,
            "algorithm": "ed25519",
            "payload": PAYLOAD,
            "payload_sha256": digest(payload),
            "public_key": keys.public.hex(),
            "signature": sign(keys.seed, payload).hex(),
        }
    )


@dataclass(frozen=True, slots=True)
class SignatureCheck:
    """status: 'unsigned', 'matches_embedded_key', 'matches_supplied_key' or 'failed' with its trouble."""

    status: str
    trouble: str = ""
    public_key: str = ""


def check_signature(
    content: bytes | None, payload: bytes, supplied: bytes | None, *, required: bool
) -> SignatureCheck:
    """content: signature.json or None; payload: hashes.json; supplied: a public key to compare with."""
    if content is None:
        if required or supplied is not None:
            return SignatureCheck("failed", "The bundle is not signed.")
        return SignatureCheck("unsigned")
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        return SignatureCheck("failed", "signature.json is not JSON.")
    if not isinstance(record, dict) or set(record) != SIGNATURE_KEYS:
        return SignatureCheck("failed", "signature.json has other fields than a signature has.")
    if record["version"] != 1 or isinstance(record["version"], bool) or record["algorithm"] != "ed25519":
        return SignatureCheck("failed", "signature.json is of another version or algorithm.")
    if record["payload"] != PAYLOAD or record["payload_sha256"] != digest(payload):
        return SignatureCheck("failed", "signature.json was made for another hashes.json.")
    public, signature = _lower_hex(record["public_key"], 32), _lower_hex(record["signature"], 64)
    if public is None or signature is None or not signature_holds(public, signature, payload):
        return SignatureCheck("failed", "The signature does not fit hashes.json.")
    if supplied is not None and supplied != public:
        return SignatureCheck("failed", "The bundle was signed by another key than the one given.")
    status = "matches_supplied_key" if supplied is not None else "matches_embedded_key"
    return SignatureCheck(status, "", public.hex())


def _lower_hex(value: JsonValue, length: int) -> bytes | None:
    if not isinstance(value, str) or len(value) != 2 * length or value != value.lower():
        return None
    try:
        return bytes.fromhex(value)
    except ValueError:
        return None
