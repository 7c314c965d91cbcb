"""The report: one HTML page with everything in it, that asks for nothing from any network."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from alcore import stats
from alcore.plugins import Plugins
from alcore.report.asked import Asked
from alcore.report.page import charts, grids
from alcore.report.page.content import Content, check_scores
from alcore.report.page.sections import Results, plugin_sections

HERE = Path(__file__).parent
POLICY = {
    "complete": "its seed is left out for all strategies on that data set",
    "available": "each strategy keeps the seeds and data sets that it has",
    "drop": "its strategy is left out on that data set",
    "worst": "it counts as the worst of its seed, and ranks last",
}


def render(asked: Asked, plugins: Plugins) -> str:
    """Return the page as HTML text.

    Parameters
    ----------
    asked : the store and the question; ``asked.question`` is what ranks and tables are of
    plugins : whose sections are added

    Raises
    ------
    InputError
        If no run has completed, or runs cannot be compared as one.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    check_scores(asked)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((HERE / "template.html").read_text(encoding="utf8"))
    context = _context(Content(asked), plugins)
    trusted = {name: Markup((HERE / file).read_text(encoding="utf8")) for name, file in FILES.items()}  # noqa: S704
    return template.render(context | trusted)


FILES = {"style": "style.css", "script": "script.js"}


def _context(content: Content, plugins: Plugins) -> dict[str, Any]:
    asked = content.asked
    protocol, versions = content.provenance()
    sections = plugin_sections(plugins, Results(asked.store, asked.records, asked.question.of, asked.baseline))
    facts = asked.facts if content.has_baseline else None
    nav = [("ranks", "Ranks"), ("scores", "Scores"), ("curves", "Curves")]
    nav += [("differences", "Differences"), ("improvement", "Improvement"), ("labels", "Labels")] * content.has_baseline
    maps = grids.maps(content)
    nav += [("learners", "Learners")] * bool(maps)
    nav += [("times", "Times"), ("incomplete", "Incomplete"), ("method", "Method")]
    return {
        "title": asked.store.path.resolve().name,
        "version": version("alcore"),
        "content": Marked(content),
        "grids": grids,
        "facts": _facts(content),
        "findings": grids.findings(content),
        "few": " ".join(note[:1].upper() + note[1:] for note in stats.few_seeds(asked.by_seed)),
        "nav": nav,
        "positions": content.positions,
        "samples": [_markup(charts.sample(at)) for at in content.positions.values()],
        "question": asked.question.title,
        "of": asked.question.of,
        "baseline": asked.baseline,
        "has_baseline": content.has_baseline,
        "alpha": f"{asked.alpha:g}",
        "test": {"t": "paired t test", "wilcoxon": "Wilcoxon signed-rank test"}[asked.test],
        "learners": content.learners,
        "several": len(content.learners) > 1,
        "rankings": content.rankings,
        "slug": content.slug,
        "labels": grids.label_tables(content),
        "maps": maps,
        "scatters": [(words, _markup(picture)) for words, picture in content.scatters()] if facts else [],
        "unknown": facts.unknown if facts else {},
        "times": [(learner, _markup(picture)) for learner, picture in content.times()],
        "incomplete": stats.incomplete(asked.records).to_dict("records"),
        "runs": len(content.runs),
        "plugin_sections": sections,
        "protocol": protocol,
        "versions": versions,
        "policy": POLICY[asked.missing],
        "experiment": _experiment(asked),
    }


class Marked:
    """The content with its pictures as markup, which the template does not escape: their texts are escaped inside."""

    def __init__(self, content: Content) -> None:
        self.content = content

    def __getattr__(self, name: str) -> Any:
        return getattr(self.content, name)

    def diagrams(self, learner: str) -> list[tuple[str, Any]]:
        """Return the critical-difference diagrams of a learner."""
        return [(name, _markup(picture)) for name, picture in self.content.diagrams(learner)]

    def panels(self, learner: str, difference: bool = False) -> list[tuple[str, str, Any]]:
        """Return the panels of a learner."""
        found = self.content.panels(learner, difference=difference)
        return [(dataset, note, _markup(picture)) for dataset, note, picture in found]


def _markup(picture: str) -> Any:
    from markupsafe import Markup

    return Markup(picture)  # noqa: S704 - made by alcore.report.page.charts, which escapes all names


def _facts(content: Content) -> str:
    def some(count: int, word: str, many: str = "") -> str:
        return f"{count} {word if count == 1 else many or word + 's'}"

    statuses = ", ".join(f"{count} {status}" for status, count in content.statuses.items())
    return " · ".join(
        [
            f"{some(len(content.runs), 'run')} ({statuses})",
            some(len(content.datasets), "data set"),
            some(len(content.learners), "learner"),
            some(len(content.strategies), "strategy", "strategies"),
            some(len(content.listed("seed")), "seed"),
            *getattr(content.asked.store, "notes", ()),
        ]
    )


def _experiment(asked: Asked) -> str:
    file = asked.store.path / "_experiment.toml"
    return file.read_text(encoding="utf8") if file.is_file() else ""
