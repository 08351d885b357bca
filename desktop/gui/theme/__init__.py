"""The look of the window: colours, type, icons, style. One `Theme` is made at start and handed to every widget.

theme = Theme(app)                      # follows the system's light or dark
theme.use(scheme=Scheme.DARK, zoom=150, roomy=True)
theme.tokens.accent                     # '#RRGGBB' of the scheme in force
theme.colour(theme.tokens.accent)       # QColor
theme.font(Type.SMALL, bold=True)       # QFont, zoomed
theme.px(16)                            # 16 design pixels at the present zoom
theme.icons.icon("folder")              # QIcon in the colour of text
theme.changed.connect(self._restyle)    # after any of these changed
"""

from desktop.gui.theme.icons import Icons
from desktop.gui.theme.theme import Scheme, Theme
from desktop.gui.theme.tones import Tone
from desktop.gui.theme.type_scale import Type, TypeScale

__all__ = ["Icons", "Scheme", "Theme", "Tone", "Type", "TypeScale"]
