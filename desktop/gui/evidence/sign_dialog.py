"""Signing a bundle with a key of one's own, or with a new one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from desktop.gui.core.tasks import TaskRunner
from desktop.gui.evidence.work_dialog import WorkDialog
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button

TEXTS = (
    "A signature shows that the bundle was not changed since. It is made with your private key, which stays "
    "with you; others check it with your public key."
)


class SignDialog(WorkDialog):
    signed = Signal()

    def __init__(
        self, theme: Theme, tasks: TaskRunner, bundle: Path, folder: Path, parent: QWidget | None = None
    ) -> None:
        """folder: where looking for a key begins."""
        super().__init__(theme, tasks, "Sign this bundle", TEXTS, "&Sign", parent)
        self._bundle = bundle
        self._folder = folder
        self.key = QLineEdit()
        self.key.setMinimumWidth(theme.chars(24))
        self.browse = Button(theme, "&Browse…")
        self.new = Button(theme, "Make a &new key…")
        self.passphrase = QLineEdit()
        self.passphrase.setEchoMode(QLineEdit.EchoMode.Password)
        self.passphrase.setPlaceholderText("only for a key that is locked by one")
        self.add_row("Your &key", self.key, self.browse, self.new, name="File of your private key")
        self.add_row("&Passphrase", self.passphrase)
        self.browse.clicked.connect(self._browse)
        self.new.clicked.connect(self._name_new)
        self.do_button.clicked.connect(self.sign)
        self.key.textChanged.connect(self._enable)
        self._enable()
        self.key.setFocus()

    @Slot()
    def _enable(self) -> None:
        self.do_button.setEnabled(bool(self.key.text().strip()))

    @Slot()
    def sign(self) -> None:
        bundle, key, given = self._bundle, Path(self.key.text().strip()).expanduser(), self.passphrase.text()

        def job() -> str:
            from desktop.application.evidence.keys import sign_bundle

            return sign_bundle(bundle, key, lambda: given or None)

        self.work("Checking that the bundle is untouched, then signing …", job, self._signed)

    def _signed(self, _public: str) -> None:
        self.signed.emit()
        self.accept()

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "Your private key", str(self._folder), "Keys (*.key);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.key.setText)
        dialog.open()

    @Slot()
    def _name_new(self) -> None:
        dialog = QFileDialog(self, "Where the new private key goes", str(self._folder), "Keys (*.key)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("key")
        dialog.fileSelected.connect(self.make_key)
        dialog.open()

    @Slot(str)
    def make_key(self, name: str) -> None:
        """Two new files: the private key, and beside it the public one to give to others."""
        private, passphrase = Path(name), self.passphrase.text()

        def job() -> Path:
            from desktop.application.evidence.keys import make_key

            return make_key(private, passphrase or None)

        def made(public: Path) -> None:
            self.key.setText(str(private))
            locked = " It is locked by the passphrase." if passphrase else ""
            self.say(
                f"The new key is made.{locked} Give {public.name} to those who are to check it.", Tone.GOOD
            )
            self.do_button.setFocus()

        self.work("Making a new key …", job, made)
