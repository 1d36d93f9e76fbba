"""The languages of the pages."""

from enum import StrEnum


class Language(StrEnum):
    """By their tags (BCP 47), as ``lib/language`` of the frontend has them."""

    english = "en"
    simplified_chinese = "zh-Hans"
