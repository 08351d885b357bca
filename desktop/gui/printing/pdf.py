"""The report as PDF by Qt's own writer: text that can be marked, drawings as vectors, a footer on each page.

The table of renderers gets `render_pdf` from the composition root, so that commands write it as well.
Without an application object one is made on the offscreen platform: nothing appears, no display is needed.
"""

from __future__ import annotations

import os

from PySide6.QtCore import QBuffer, QCoreApplication, QEventLoop, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextCursor,
    QTextDocument,
)

from desktop.foundation.colours import LIGHT
from desktop.gui.widgets.causes_bar import paint_causes_bar
from desktop.gui.widgets.latency_plot import latency_height, paint_latency
from desktop.gui.widgets.quality_plot import paint_quality_plot
from desktop.gui.widgets.shape_painter import PlotStyle
from desktop.reports.data import CandidateView, ReportData
from desktop.reports.latency import latency_panels
from desktop.reports.print_html import CAUSES, LATENCY, PLOT, print_html
from desktop.reports.quality_plot import plot_point
from desktop.reports.text import plain

DPI = 96
MARGIN_MM = 16.0
FOOTER_PX = 34
HEADER_PX = 30
"""Only on reports of packs that nobody has reviewed."""
PLOT_HEIGHT = 240
CAUSE_ROW = 26
CAUSE_NAME = 150


def render_pdf(data: ReportData) -> bytes:
    """Any thread. The same data give the same pages (the file's own dates differ)."""
    application = _application()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DPI)
    writer.setPageLayout(page_layout())
    writer.setTitle(plain(data.title))
    writer.setCreator(data.program)
    pages = Pages(data, QSizeF(writer.width(), writer.height()))
    painter = QPainter(writer)
    for number in range(pages.count):
        if number:
            writer.newPage()
        pages.paint(painter, number)
    painter.end()
    buffer.close()
    del application
    return bytes(buffer.data().data())


def first_page(data: ReportData, width: int) -> QImage:
    """A picture of the first page, `width` pixels wide, for the preview. Any thread."""
    application = _application()
    layout = page_layout()
    full = layout.fullRectPixels(DPI)
    inside = layout.paintRectPixels(DPI)
    scale = width / full.width()
    image = QImage(width, round(full.height() * scale), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    pages = Pages(data, QSizeF(inside.size()))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    painter.translate(inside.topLeft())
    pages.paint(painter, 0)
    painter.end()
    del application
    return image


def page_layout() -> QPageLayout:
    margins = QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
    return QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4),
        QPageLayout.Orientation.Portrait,
        margins,
        QPageLayout.Unit.Millimeter,
    )


class Pages:
    """The laid out report; `paint` draws one page into a painter whose origin is the page's upper left."""

    def __init__(self, data: ReportData, size: QSizeF) -> None:
        self._data = data
        self._size = size
        self._top = HEADER_PX if data.label else 0
        self._body = QSizeF(size.width(), size.height() - FOOTER_PX - self._top)
        self._points = [plot_point(view) for view in data.candidates if _comparable(view)]
        width = round(size.width()) - 8
        plot = (width, PLOT_HEIGHT) if self._points else (0, 0)
        causes = (width, CAUSE_ROW * len(data.candidates))
        self._latency = latency_panels(data.candidates)
        rows = round(latency_height(self._latency, PlotStyle.for_paper()))
        latency = (width, rows) if self._latency else (0, 0)
        # The layout of a document starts timers. On a lane there is nothing that could run them, and Qt
        # complains of each; an event loop that is merely made brings along what it needs.
        self._loop = QEventLoop()
        document = QTextDocument()
        font = QFont("sans-serif")
        font.setPointSizeF(9)
        document.setDefaultFont(font)
        document.setDocumentMargin(0)
        for name, (picture_width, height) in ((PLOT, plot), (CAUSES, causes), (LATENCY, latency)):
            if picture_width:
                empty = QImage(picture_width, height, QImage.Format.Format_ARGB32)
                empty.fill(Qt.GlobalColor.transparent)
                document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), empty)
        document.setPageSize(self._body)
        document.setHtml(print_html(data, plot=plot, causes=causes, latency=latency))
        self._document = document
        self._places = {name: self._place(name) for name in (PLOT, CAUSES, LATENCY)}

    @property
    def count(self) -> int:
        return self._document.pageCount()

    def paint(self, painter: QPainter, number: int) -> None:
        body = self._body
        painter.save()
        painter.translate(0, self._top - number * body.height())
        clip = QRectF(0, number * body.height(), body.width(), body.height())
        painter.setClipRect(clip)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.text))
        context.palette = palette
        self._document.documentLayout().draw(painter, context)
        plot, causes = self._places[PLOT], self._places[CAUSES]
        if plot is not None and clip.intersects(plot):
            paint_quality_plot(painter, plot, self._points, PlotStyle.for_paper())
        if causes is not None and clip.intersects(causes):
            self._paint_causes(painter, causes)
        latency = self._places[LATENCY]
        if latency is not None and clip.intersects(latency):
            paint_latency(painter, latency, self._latency, PlotStyle.for_paper())
        painter.restore()
        self._paint_edges(painter, number)

    def _paint_causes(self, painter: QPainter, rect: QRectF) -> None:
        style = PlotStyle.for_paper()
        for row, view in enumerate(self._data.candidates):
            top = rect.top() + row * CAUSE_ROW
            painter.setFont(style.small)
            painter.setPen(QColor(LIGHT.text))
            name = QRectF(rect.left(), top, CAUSE_NAME - 8, CAUSE_ROW - 6)
            flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
            painter.drawText(name, flags, plain(view.name)[:40])
            bar = QRectF(rect.left() + CAUSE_NAME, top, rect.width() - CAUSE_NAME, CAUSE_ROW - 6)
            paint_causes_bar(painter, bar, view.causes, LIGHT, style.bold)

    def _paint_edges(self, painter: QPainter, number: int) -> None:
        """Footer with the page's number; on drafts the warning at the top of every page."""
        small = PlotStyle.for_paper().small
        small.setPixelSize(10)
        painter.save()
        painter.setFont(small)
        painter.setPen(QColor(LIGHT.muted))
        width, height = self._size.width(), self._size.height()
        foot = QRectF(0, height - FOOTER_PX, width, FOOTER_PX)
        low = int(Qt.AlignmentFlag.AlignBottom)
        title = painter.fontMetrics().elidedText(
            plain(self._data.title), Qt.TextElideMode.ElideMiddle, round(width / 2)
        )
        painter.drawText(foot, low | int(Qt.AlignmentFlag.AlignLeft), f"{title} · {self._data.program}")
        painter.drawText(foot, low | int(Qt.AlignmentFlag.AlignRight), f"Page {number + 1} of {self.count}")
        if self._data.label:
            head = QRectF(0, 0, width, HEADER_PX - 10)
            painter.fillRect(head, QColor(LIGHT.warn_soft))
            painter.setPen(QColor(LIGHT.warn))
            message = "Not reviewed: nobody has checked this pack's expected values."
            painter.drawText(head.adjusted(6, 0, -6, 0), int(Qt.AlignmentFlag.AlignVCenter), message)
        painter.restore()

    def _place(self, name: str) -> QRectF | None:
        """Where the empty picture stands, in the document; None when it is not there."""
        block = self._document.begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                shape = fragment.charFormat()
                if shape.isImageFormat() and shape.toImageFormat().name() == name:
                    image = shape.toImageFormat()
                    cursor = QTextCursor(self._document)
                    cursor.setPosition(fragment.position())
                    top = self._document.documentLayout().blockBoundingRect(block)
                    return QRectF(top.left(), top.top(), image.width(), image.height())
                fragments += 1
            block = block.next()
        return None


def _comparable(view: CandidateView) -> bool:
    return view.judged > 0 and view.interval is not None and not view.record.ended_early


def _application() -> QCoreApplication:
    """Fonts need an application object; the commands have none. To be held while Qt is used."""
    present = QGuiApplication.instance()
    if present is not None:
        return present
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QGuiApplication(["packbench"])
