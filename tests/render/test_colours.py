"""Colours of the terminal: legible on white and on black, and one for data and one for grad in every view."""

import re

import pytest

from gradcli.render import style

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
PRETTY = ("--format", "pretty", "--color", "always")
BACKGROUNDS = {"white": (255, 255, 255), "black": (0, 0, 0)}
STEPS = (0, 95, 135, 175, 215, 255)  # of red, green and blue among the colours 16 to 231


def rgb(number):
    """What a terminal with 256 colours shows for one above 15: those are the same in all of them."""
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    number -= 16
    return STEPS[number // 36], STEPS[number // 6 % 6], STEPS[number % 6]


def luminance(colour):
    """The relative luminance, as WCAG 2 defines it."""
    parts = [part / 255 for part in colour]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_of_contrast():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((0, 205, 205), (255, 255, 255)) < 2  # the cyan of xterm, which was the colour of names
    assert rgb(63) == (95, 95, 255) and rgb(243) == (118, 118, 118)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("text", style.PALETTE)
def test_every_colour_is_legible(text, background):
    number = int(re.fullmatch(r"color\((\d+)\)", text)[1])
    assert contrast(rgb(number), BACKGROUNDS[background]) >= 4.5


def test_every_role_has_a_colour_of_the_palette():
    roles = [
        value
        for name, value in vars(style).items()
        if name.isupper() and not isinstance(value, int) and not name.startswith("_")
    ]
    texts = [text for role in roles for text in ([role] if isinstance(role, str) else role) if isinstance(text, str)]
    assert {text.removeprefix("bold").strip() for text in texts} <= {*style.PALETTE, ""}


def coloured(shown, colour):
    """The pieces of the text in a colour."""
    number = re.search(r"\d+", colour)[0]
    return [text.strip() for text in re.findall(rf"\x1b\[(?:1;)?38;5;{number}m([^\x1b]*)\x1b", shown)]


def test_data_and_grad_have_their_colours_everywhere(quick):
    tree = quick("eval", *WALK, "--tree", *PRETTY).stdout
    assert coloured(tree, style.DATA) == ["84", "7", "3", "4", "12", "84"]
    assert coloured(tree, style.GRAD) == ["1", "12", "40", "33", "7", "40", "33"]
    trace = quick("eval", *WALK, "--trace", *PRETTY).stdout
    assert coloured(trace, style.DATA) == ["3", "4", "7", "12", "84", "84"]
    assert coloured(trace, style.GRAD) == ["12", "7", "28", "21", "28 + 12 = 40", "21 + 12 = 33", "40", "33"]
    paths = quick("explain", *WALK, "--wrt", "a", *PRETTY).stdout
    assert coloured(paths, style.GRAD) == ["12", "28", "40"]
    plot = quick("plot", "x^3 - x", "x=-2:2", *PRETTY).stdout
    assert coloured(plot, style.DATA)[0] == "━ f" and coloured(plot, style.GRAD)[0] == "╍ f'"


def test_messages(quick):
    env = {"FORCE_COLOR": "1"}
    shown = quick("eval", "1 + snh(x)", "x=1", env=env).stderr
    assert coloured(shown.replace("\x1b[1m", ""), f"color({style.BRICK})") == ["error:", "^^^"]
    assert coloured(shown.replace("\x1b[1m", ""), f"color({style.BLUE})") == ["hint:"]
    note = quick("eval", "1 + abs(x)", "x=0", env=env).stderr
    assert coloured(note.replace("\x1b[1m", ""), f"color({style.PURPLE})") == ["kink:", "^^^^^^"]
    assert "\x1b" not in quick("eval", "1 + snh(x)", "x=1", env=env | {"NO_COLOR": "1"}).stderr
