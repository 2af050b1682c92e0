"""A small picture that several tools show: four colours under a white ring, as PNG."""

from typing import Final

from mcp_types import Annotations, ImageContent

TINY_IMAGE: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAD1BMVEUfd7T/fw4soCyUZ73///92MG0ZAAAAgUlEQVR42q3SOw6A"
    "MAwD0JL4/meGqj/HJVu8gOo3UIvWJI+k1QLMJACUHwCJAiARsR8fGQT35xYkCPA1BVC/dthiAx2KATIAAvfUdcDM+qut+Eo//R51"
    "AApAwDLgDBABAmAhPQMcAAVTYABQv4Ddv5xHYEl/QCR7LgaHuCcgTF0GXvZxCMdp9fUmAAAAAElFTkSuQmCC"
)
"""The file, in base64."""


def tiny_image(annotations: Annotations | None = None) -> ImageContent:
    """The picture as a content block."""
    return ImageContent(type="image", data=TINY_IMAGE, mime_type="image/png", annotations=annotations)
