"""Sizes (design pixels) and habits of the style, as tables."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QStyle

_PM = QStyle.PixelMetric
_SH = QStyle.StyleHint

METRICS: Mapping[QStyle.PixelMetric, int] = {
    _PM.PM_ButtonIconSize: 16,
    _PM.PM_SmallIconSize: 16,
    _PM.PM_ListViewIconSize: 20,
    _PM.PM_IndicatorWidth: 16,
    _PM.PM_IndicatorHeight: 16,
    _PM.PM_ExclusiveIndicatorWidth: 16,
    _PM.PM_ExclusiveIndicatorHeight: 16,
    _PM.PM_CheckBoxLabelSpacing: 8,
    _PM.PM_RadioButtonLabelSpacing: 8,
    _PM.PM_ScrollBarExtent: 12,
    _PM.PM_ScrollBarSliderMin: 28,
    _PM.PM_LayoutHorizontalSpacing: 8,
    _PM.PM_LayoutVerticalSpacing: 8,
    _PM.PM_LayoutLeftMargin: 16,
    _PM.PM_LayoutTopMargin: 16,
    _PM.PM_LayoutRightMargin: 16,
    _PM.PM_LayoutBottomMargin: 16,
    _PM.PM_HeaderMargin: 10,
    _PM.PM_FocusFrameHMargin: 9,
    _PM.PM_HeaderMarkSize: 12,
    _PM.PM_ButtonMargin: 12,
    _PM.PM_SplitterWidth: 8,
    _PM.PM_SliderThickness: 24,
    _PM.PM_SliderLength: 16,
    _PM.PM_TabBarTabHSpace: 24,
    _PM.PM_TabBarTabVSpace: 10,
    _PM.PM_MenuBarHMargin: 8,
    _PM.PM_ScrollView_ScrollBarSpacing: 0,
}

HINTS: Mapping[QStyle.StyleHint, int] = {
    _SH.SH_ItemView_ShowDecorationSelected: 1,
    _SH.SH_EtchDisabledText: 0,
    _SH.SH_ComboBox_Popup: 0,
    _SH.SH_DialogButtonBox_ButtonsHaveIcons: 0,
    _SH.SH_Widget_Animation_Duration: 0,
    _SH.SH_UnderlineShortcut: 1,
    _SH.SH_ScrollBar_Transient: 0,
    _SH.SH_ToolTipLabel_Opacity: 255,
    _SH.SH_Menu_SubMenuPopupDelay: 120,
}
