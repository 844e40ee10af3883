"""The drawing of a graph in the programs that show it: the same colours in each, PNG and PDF as the SVG."""

import io
import re
import shutil
import subprocess

import pytest
from helpers import PICTURES, fails

from gradcli.language.parser import parse
from gradcli.render.graph.figure import figure
from gradcli.render.graph.paints import PAINTS, ink, paint
from gradcli.render.graph.picture import kinds, picture
from gradcli.render.graph.shapes import HEAD, PAD, ROW, shapes
from gradcli.render.graph.svg import svg
from gradcli.render.sheet import MOST_PIXELS, scale
from gradcli.trace.trace import trace

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")
WALK = ("(a+b)*(a*b)", "a=3", "b=4")
RESULT = trace(parse("(a+b)*(a*b)*2"), {"a": 3.0, "b": 4.0})


def rgb(colour):
    digits = colour.lstrip("#")
    return tuple(int(digit * 2, 16) for digit in digits) if len(digits) == 3 else tuple(bytes.fromhex(digits))


def colours(image, box):
    """The colours of a part of a picture: (left, top, right, bottom)."""
    part = image.convert("RGB").crop(tuple(round(number) for number in box))
    return {colour for _, colour in part.getcolors(part.width * part.height)}


def points(result):
    """Places where one colour is certain, with it; and places of texts, with theirs."""
    chart = picture(result)
    (drawn,) = shapes(chart, ["LR"])
    plain, texts = [((2, drawn.height / 2), paint("paper")["fill"])], []
    for node, shape in zip(chart.nodes, drawn.nodes, strict=True):
        x, y, width, height = shape.box
        look = paint("box", *kinds(node, chart))
        plain += [((x + 4, y + 12), look["fill"]), ((x + width - 4, y + height - 6), look["fill"])]
        if "stroke-dasharray" not in look:
            plain.append(((x, y + height / 2), look["stroke"]))
        if shape.pill:
            pill = shape.pill
            plain.append(((pill[0] + 5, pill[1] + pill[3] / 2), paint("pill")["fill"]))
            plain.append((((pill[0] + pill[2] + x) / 2, y + height / 2), paint("edge")["stroke"]))
        texts.append(((x + PAD, y + 4, x + width - PAD, y + HEAD - 4), paint("label")["fill"]))
        for index, (name, number) in enumerate(shape.rows):
            top = y + HEAD + ROW * index
            if number:
                texts.append(
                    ((x + width - PAD - 16, top + 2, x + width - PAD, top + ROW - 2), paint(ink(name))["fill"])
                )
    return plain, texts


def near(one, other, off=12):
    return all(abs(a - b) <= off for a, b in zip(one, other, strict=True))


def has_its_colours(image, result, scale=2):
    """True for every place of the picture: boxes, edges and texts have the colours that the table says."""
    plain, texts = points(result)
    picture_ = image.convert("RGB")
    for (x, y), colour in plain:
        found = picture_.getpixel((round(x * scale), round(y * scale)))
        assert near(found, rgb(colour)), ((x, y), found, colour)
    for box, colour in texts:
        found = colours(picture_, [number * scale for number in box])
        assert any(near(one, rgb(colour), 40) for one in found), (box, colour, sorted(found)[:4])
        assert (0, 0, 0) not in found
    return True


@pytest.mark.skipif(not shutil.which("rsvg-convert"), reason="librsvg's rsvg-convert is not installed")
def test_librsvg_shows_the_colours(tmp_path):
    (tmp_path / "graph.svg").write_text(svg(RESULT), encoding="utf-8")
    command = ["rsvg-convert", "--zoom", "2", str(tmp_path / "graph.svg")]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert has_its_colours(Image.open(io.BytesIO(done.stdout)), RESULT)


@pytest.mark.skipif(not shutil.which("rsvg-convert"), reason="librsvg's rsvg-convert is not installed")
def test_the_picture_of_the_readme_is_not_black():
    command = ["rsvg-convert", "--zoom", "2", str(PICTURES / "walkthrough.svg")]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    result = trace(parse("(a+b)*(a*b)"), {"a": 3.0, "b": 4.0})
    assert has_its_colours(Image.open(io.BytesIO(done.stdout)), result)


def test_chromium_shows_the_colours_and_dark_ones_where_it_is_dark(browser, tmp_path):
    (tmp_path / "graph.svg").write_text(svg(RESULT), encoding="utf-8")
    for dark in (False, True):
        page = browser.open((tmp_path / "graph.svg").as_uri(), dark=dark, scale=2)
        page.screenshot(tmp_path / "shot.png")
        image = Image.open(tmp_path / "shot.png")
        if not dark:
            assert has_its_colours(image, RESULT)
        else:
            (box,) = [box for box, colour in points(RESULT)[0] if colour == paint("paper")["fill"]][:1]
            found = image.convert("RGB").getpixel(tuple(round(2 * number) for number in box))
            assert found == rgb(PAINTS["paper"]["fill"].split()[1])


def test_nothing_needs_a_style_sheet():
    """Every rectangle, path and text has its colours itself."""
    text = svg(RESULT)
    assert "var(" not in text
    for tag in re.findall(r"<(?:rect|path|text)\b[^>]*>", text):
        assert re.search(r' (fill|stroke)="(#|none)', tag), tag
    for tag in re.findall(r"<text\b[^>]*>", text):
        assert ' fill="#' in tag and ' font-size="' in tag, tag
    assert re.match(r'<svg [^>]*font-family="[^"]*monospace"', text)


# ------------------------------------------------------------------------------------------------ PNG and PDF


def test_a_png_is_the_drawing_at_twice_its_size():
    image = Image.open(io.BytesIO(figure(RESULT, "png")))
    (drawn,) = shapes(picture(RESULT), ["LR"])
    assert image.size == (int(2 * drawn.width), int(2 * drawn.height))
    assert has_its_colours(image, RESULT)
    assert figure(RESULT, "png") == figure(RESULT, "png")


def test_from_top_to_bottom():
    sizes = [Image.open(io.BytesIO(figure(RESULT, "png", way))).size for way in ("LR", "TB")]
    assert sizes[0][0] > sizes[0][1] and sizes[1][1] > sizes[1][0]


def test_a_pdf_has_the_texts(tmp_path):
    made = figure(RESULT, "pdf")
    assert made.startswith(b"%PDF-") and made == figure(RESULT, "pdf")
    if not shutil.which("pdftotext"):
        pytest.skip("poppler's pdftotext is not installed")
    done = subprocess.run(["pdftotext", "-", "-"], input=made, capture_output=True, timeout=60, check=True)
    words = done.stdout.decode().split()
    for text in ("a", "b", "a+b", "a*b", "(a+b)*(a*b)*2", "data", "grad", "168", "80", "66", "24", "14"):
        assert text in words, text


@pytest.mark.parametrize(("name", "start"), [("w.png", b"\x89PNG"), ("w.PDF", b"%PDF-")])
def test_the_ending_makes_the_picture_without_graphviz(run, tmp_path, name, start):
    assert run("graph", *WALK, "-o", name, cwd=tmp_path, env={"HOME": str(tmp_path)}) == (0, "", "")
    assert (tmp_path / name).read_bytes().startswith(start)


def test_what_matplotlib_could_misread(quick, tmp_path):
    for formula in ("x*(2 # $a_1$ \\frac{}\n)", "α²*x"):
        assert quick("graph", formula, "x=3", "α=2", "-o", str(tmp_path / "a.png")).code == 0


def test_letters_that_no_font_has_are_not_boxes(quick, tmp_path):
    """U+17000, a Tangut ideograph, is in hardly any font."""
    done = quick("graph", "\U00017000*2", "\U00017000=3", "-o", str(tmp_path / "a.png"))
    if done.code:
        fails(done, 1, "no font on this machine has \U00017000")
        assert not (tmp_path / "a.png").exists()


def test_without_matplotlib_the_extra_is_named(run, tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')")
    for name in ("a.png", "a.pdf"):
        done = run("graph", *WALK, "-o", str(tmp_path / name), env={"PYTHONPATH": str(tmp_path)})
        fails(done, 1, "needs matplotlib", "pip install 'gradcli[plot]'")
        assert not (tmp_path / name).exists()


def test_a_picture_of_pixels_has_a_largest_size():
    from gradcli.errors import GradcliError

    assert scale(500, 200, 2.0) == 2.0
    found = scale(20_000, 4000, 2.0)
    assert 1 < found < 2 and 20_000 * 4000 * found**2 == pytest.approx(MOST_PIXELS)
    with pytest.raises(GradcliError, match="too large for pixels"):
        scale(200_000, 400, 2.0)
