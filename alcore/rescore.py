"""Fits other task learners along the rows that runs have recorded: no strategy is asked again.

Which rows a strategy asks for depends on its query learner alone. So the run of a pair of learners is that of another
pair with the same query learner, but for its scores: a 4 x 4 map of query and task learners costs four query runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from alcore.dataset import Dataset
from alcore.errors import AlcoreError, InputError
from alcore.execute import Source
from alcore.pairing import Facts, metric_mismatch, mismatch
from alcore.parts import declared, made_of, revisions, versions
from alcore.plan import learner_config, reference_config
from alcore.references import LearnerRef, RoundMetricRef, pair_label
from alcore.registry import Entry, Registry
from alcore.results import REVISIONS_SINCE, Run, canonical
from alcore.runner import Progress, Watcher, Work
from alcore.selection import selected
from alcore.spec import Kind
from alcore.stats.scores import parsed
from alcore.store import Store
from alcore.types import Status
from alcore.workers import refuse_daemon


@dataclass(frozen=True)
class Rescoring:
    """Runs to do, each with the one whose rows it follows; and what cannot be done, with the number of runs."""

    runs: Sequence[Run]
    follow: Mapping[str, Source]
    left_out: Mapping[str, int] = field(default_factory=dict)


def plan_rescore(
    source: Store,
    registry: Registry,
    learners: Sequence[str] = (),
    metrics: Sequence[str] = (),
) -> Rescoring:
    """Return what it takes to score the runs of a store with other task learners.

    Parameters
    ----------
    source : the store whose completed runs are followed
        Those of the latest protocol, or the protocol that ``selected(store, protocol)`` has chosen.
    registry
    learners : labels of learners in the store, or names with parameters as in "knn(n_neighbors=3)"
        None keeps each run's own task learner, for other metrics.
    metrics : names of round metrics, with parameters likewise
        None keeps those that were recorded.

    Raises
    ------
    InputError
        If neither is given, a name is unknown, or the store holds no completed run.
    """
    if not learners and not metrics:
        raise InputError("name task learners or metrics; there is nothing to score anew.")
    source = selected(source)
    runs = source.runs()
    completed = [str(run) for run in runs.loc[runs["status"] == "completed", "run"]]
    if not completed:
        raise InputError("no run has completed, so that there are no rows to follow; see: alcore status STORE")
    abouts = {run: source.about(run) for run in completed}
    known = _known(about["config"] for about in abouts.values())
    tasks: list[dict[str, Any] | None] = [_learner(registry, text, known) for text in learners] or [None]
    scored = [_metric(registry, text) for text in metrics]
    maker = _Maker(registry, {}, len(runs))
    left_out = {"the run to follow did not complete": n} if (n := len(runs) - len(completed)) else {}
    found: dict[str, tuple[Run, Source]] = {}
    for number, task in enumerate(tasks):
        for run, about in abouts.items():
            try:
                made = maker.run(about, task, scored, number)
            except AlcoreError as error:
                left_out[str(error)] = left_out.get(str(error), 0) + 1
                continue
            found.setdefault(made.id, (made, Source(source.path, run)))
    return Rescoring(
        [made for made, _ in found.values()], {run: follows for run, (_, follows) in found.items()}, left_out
    )


def rescore(
    plan: Rescoring,
    store: Store,
    *,
    files: Sequence[Path] = (),
    jobs: int | None = None,
    executor: Executor | None = None,
    retry: Sequence[Status] = (),
    watch: Watcher | None = None,
) -> Progress:
    """Score what is not in the store yet; call it again to go on after an interruption.

    The metrics equal those of really running the pair, and so does the run's id, so that ``alcore run`` knows it as
    done. A run that cannot be followed to its end, because a stop rule ended the recorded one earlier, counts as
    skipped and is not written.

    Parameters
    ----------
    plan : as ``plan_rescore`` returns it
    store : where results go; may be the one whose rows are followed
    files, jobs, executor, retry, watch : as for ``run_experiment``

    Raises
    ------
    InputError
        If another process writes to the store.
    """
    if executor is None:
        refuse_daemon("rescore")
    with store.locked():
        work = Work(store, files, None, 1, plan.follow)
        return work.run(plan.runs, jobs=jobs, executor=executor, retry=retry, watch=watch)


def _known(configs: Iterator[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the learners of a store by label; that of a run wins where both its learners are the same."""
    found: dict[str, dict[str, Any]] = {}
    for config in configs:
        learner = config["learner"]
        for role in ("query", "task"):
            found.setdefault(learner[role]["label"], learner[role])
        if learner["query"] == learner["task"]:
            found.setdefault(learner["label"], learner["task"])
    return found


def _learner(registry: Registry, text: str, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return known[text] if text in known else learner_config(_checked(registry, LearnerRef, text))


def _metric(registry: Registry, text: str) -> dict[str, Any]:
    return reference_config(_checked(registry, RoundMetricRef, text))


def _checked(registry: Registry, kind: Any, text: str) -> Any:
    from pydantic import ValidationError

    name, params = parsed(text)
    try:
        return kind.model_validate({"name": name} | params, context={"registry": registry})
    except ValidationError as error:
        told = "; ".join(str(one.get("ctx", {}).get("error", one["msg"])) for one in error.errors())
        raise InputError(f"{text!r}: {told}") from error


@dataclass(frozen=True)
class _Maker:
    """Makes runs that follow others; ``data`` keeps what is known of each data set."""

    registry: Registry
    data: dict[str, Facts]
    many: int

    def run(
        self, about: Mapping[str, Any], task: dict[str, Any] | None, metrics: list[dict[str, Any]], number: int
    ) -> Run:
        """Return the run of a recorded one's query learner with another task learner and other metrics.

        Raises
        ------
        AlcoreError
            If its parts cannot work together, or the rows may not be those that the pair would ask for.
        """
        config = about["config"]
        if config["protocol"] < REVISIONS_SINCE:
            raise InputError(
                "the run to follow is an earlier alcore's, which kept no revisions; run it anew: alcore run"
            )
        query = config["learner"]["query"]
        task = task or config["learner"]["task"]
        if query["refit"] == "continue" and (query == task) != (query == config["learner"]["task"]):
            raise InputError(
                f"{query['label']} goes on from its last fit, so that its rows depend on when it is scored; run the "
                "pair with alcore run."
            )
        metrics = metrics or config["metrics"]
        self._check(config, query, task, metrics)
        same = query == task == config["learner"]["task"]
        label = config["learner"]["label"] if same else pair_label(query["label"], task["label"])
        made = dict(config) | {"learner": {"label": label, "query": query, "task": task}, "metrics": metrics}
        return Run(made | self._beside(config, made), int(about["position"]) + (number + 1) * self.many)

    def _check(self, config: Mapping[str, Any], query: Any, task: Any, metrics: Sequence[Any]) -> None:
        facts = self._facts(config["dataset"])
        registry, strategy = self.registry, config["strategy"]
        found = mismatch(
            registry, facts, strategy["name"], query["name"], task["name"],
            params=strategy["params"], batch=config["batch"],
        )  # fmt: skip
        for metric in metrics:
            registry.entry("metric", metric["name"])
            found += metric_mismatch(registry, facts, metric["name"], task["name"], metric["params"])
        if found:
            raise InputError(found[0].why)

    def _facts(self, told: Mapping[str, Any]) -> Facts:
        key = canonical(told)
        if key not in self.data:
            data: Dataset = self.registry.build("dataset", told["name"], **told["params"], **told.get("where", {}))
            self.data[key] = replace(Facts.of_data(data), name=told["label"])
        return self.data[key]

    def _beside(self, before: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
        """Return revisions and versions of the run: of what chose its rows those recorded, of what scores it ours.

        ``rows_from`` has what has changed since the rows were chosen.
        """
        task = self._entries(("learner", made["learner"]["task"]))
        metrics = self._entries(*(("metric", one) for one in made["metrics"]))
        stated = dict(before["revisions"]) | {"task": revisions(task), "metrics": revisions(metrics)}
        chose = self._chose(before)
        rows = {key: value for key, value in before["versions"].items() if value.startswith("sha256:")}  # plugin files
        now = versions(chose.values())
        changed = {key: before["versions"][key] for key in now if before["versions"].get(key, now[key]) != now[key]}
        scored = versions([*chose.values(), *task.values(), *metrics.values()])
        told: dict[str, Any] = {"revisions": stated, "versions": dict(sorted((rows | scored).items()))}
        return told | ({"rows_from": changed} if changed else {})

    def _chose(self, config: Mapping[str, Any]) -> dict[tuple[Kind, str], Entry]:
        """Return what chose the rows of a run and is known here; nothing of it is made."""
        cold = config["start"]["cold_start"]
        named: list[tuple[Kind, Mapping[str, Any]]] = [("strategy", config["strategy"])]
        named += [("learner", config["learner"]["query"])]
        named += [("stop-rule", rule) for rule in config["stop"]]
        named += [("strategy", cold)] if cold else []
        known = [(kind, one) for kind, one in named if self.registry.get(kind, one["name"]) is not None]
        return {
            key: entry
            for kind, one in known
            for key, entry in declared(self.registry, kind, one["name"], one["params"]).items()
        }

    def _entries(self, *named: tuple[Kind, Mapping[str, Any]]) -> dict[tuple[Kind, str], Entry]:
        """Return parts that score a run, with what they are made of."""
        return {
            key: entry
            for kind, one in named
            for key, entry in made_of(self.registry, kind, one["name"], one["params"]).items()
        }
