"""What Qt itself has to say goes to our log; one line that means nothing is dropped."""

from __future__ import annotations

import logging

from PySide6.QtCore import QtMsgType

log = logging.getLogger("qt")

_MEANS_NOTHING = "This plugin does not support propagateSizeHints"
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_qt_message(kind: QtMsgType, message: str) -> None:
    """The offscreen platform complains at every show; everything else is kept."""
    if not message.startswith(_MEANS_NOTHING):
        log.log(_LEVELS.get(kind, logging.INFO), "%s", message)
