"""What an experiment names: strategies, learners, data sets, metrics and stop rules, each checked where it stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, model_validator

from alcore.errors import InputError, UnavailableError
from alcore.mistakes import shown
from alcore.registry import Registry
from alcore.spec import WHERE, Kind, Spec


class Table(BaseModel):
    """A table that knows all its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def named(value: Any) -> Any:
    """Return a name as a table with a name.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, Mapping) and "name" in value:
        return value
    raise ValueError(f'give a name, or a table with one: {{name = "..."}}; it is {shown(value)}.')


def label_of(table: Mapping[str, Any]) -> str:
    """Return what a reference is called: its label, or its name and what is not as by default.

    Data that lie at a path are called by the path's last part.
    """
    if table.get("label"):
        return str(table["label"])
    name = Path(str(table["path"])).stem if "path" in table else str(table["name"])
    own = {key: value for key, value in sorted(table.items()) if key not in ("name", "label", *WHERE)}
    texts = {key: value if isinstance(value, str) else json.dumps(value, default=str) for key, value in own.items()}
    inside = ",".join(f"{key}={text}" for key, text in texts.items() if (key, text) != ("refit", "scratch"))
    return f"{name}({inside})" if inside else name


class Reference(BaseModel):
    """Something by name: ``"margin"`` or ``{name = "qbc", members = 10, label = "Q"}``; other keys are parameters."""

    model_config = ConfigDict(extra="allow", frozen=True)
    kind: ClassVar[Kind]
    scope: ClassVar[str] = ""

    name: str
    label: str = ""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters."""
        return dict(self.model_extra or {})

    @model_validator(mode="after")
    def _known(self, info: ValidationInfo[dict[str, Registry]]) -> Self:
        spec = info.context["registry"].entry(self.kind, self.name).spec
        if self.scope and spec.scope != self.scope:
            ask = f"list it under metrics.{spec.scope}."
            if spec.scope == "comparison":
                ask = f"ask for it when the runs are done: alcore table STORE --metric {self.name}"
            raise ValueError(f"{self.name!r} is a {spec.scope} metric; {ask}")
        reason = spec.missing()
        if reason:
            raise ValueError(f"{self.kind} {self.name!r} {reason}")
        try:
            spec.check_params(self.params)
            spec.given(self.params)
            if self.kind == "strategy":
                _try_to_make(spec, self.params)
        except UnavailableError as error:
            raise ValueError(str(error)) from error
        object.__setattr__(self, "label", label_of(self.model_dump()))
        return self


def _try_to_make(spec: Spec, params: Mapping[str, Any]) -> None:
    """Raise InputError if what is made refuses its parameters; whatever else goes wrong is the run's end."""
    try:
        spec.build(**params)
    except (InputError, UnavailableError, KeyboardInterrupt):
        raise
    except BaseException:  # noqa: BLE001 - of a plugin, which may raise anything
        return


class StrategyRef(Reference):
    """A strategy by name."""

    kind = "strategy"


class LearnerRef(Reference):
    """A learner by name."""

    kind = "learner"
    refit: Literal["scratch", "continue"] = "scratch"


class DatasetRef(Reference):
    """A data set by name."""

    kind = "dataset"


class RoundMetricRef(Reference):
    """A metric of one round by name."""

    kind = "metric"
    scope = "round"


class CurveMetricRef(Reference):
    """A metric of one learning curve by name."""

    kind = "metric"
    scope = "curve"


class StopRef(Reference):
    """A stop rule by name."""

    kind = "stop-rule"


class Pair(Table):
    """The learner that guides the strategy and the one that is scored; the same one where only one is named."""

    query: Annotated[LearnerRef, BeforeValidator(named)]
    task: Annotated[LearnerRef, BeforeValidator(named)]
    label: str = ""

    @model_validator(mode="after")
    def _labelled(self) -> Self:
        object.__setattr__(self, "label", self.label or pair_label(self.query.label, self.task.label))
        return self


def pair_label(query: str, task: str) -> str:
    """Return what a pair of learners is called that has no label of its own."""
    return task if query == task else f"{query}->{task}"


def paired(value: Any) -> Any:
    """Return the one learner that is named as a pair; a pair as it is.

    Raises
    ------
    ValueError
        If it is neither, or both.
    """
    roles = [role for role in ("query", "task") if isinstance(value, Mapping) and role in value]
    if roles and "name" not in value:
        return value
    if roles:
        raise ValueError(f"{' and '.join(roles)} goes with two learners and name with one; leave out one of them.")
    if isinstance(value, Mapping) and "name" not in value:
        raise ValueError(
            f'give a learner, {{name = "..."}}, or two, {{query = "...", task = "..."}}; it is {shown(value)}.'
        )
    one = dict(named(value))
    label = {"label": one.pop("label")} if "label" in one else {}
    return {"query": one, "task": one} | label
