"""Settings of a run, kept with the model. Each engine has its options here so that files can be checked without it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import model_validator

from linkwright.document.base import FieldSpec, Flag, Frozen, Real, Whole

JacobianTerms = Literal["M1", "M1+M2", "M1+M3", "M1+M2+M3", "difference"]


class EngineOptions(Frozen):
    """Base of the options of an engine; the Solve form is made from its fields."""


class NewmarkOptions(EngineOptions):
    """Options of the implicit engine in absolute coordinates (Kan, Peng, Chen 2017; Newmark 1959)."""

    integrator: Annotated[Literal["newmark"], FieldSpec("Integrator", group="Integration")] = "newmark"
    coordinates: Annotated[
        Literal["euler-parameters"], FieldSpec("Coordinates", group="Integration", advanced=True)
    ] = "euler-parameters"
    dae: Annotated[Literal["index-3"], FieldSpec("DAE treatment", group="Integration", advanced=True)] = (
        "index-3"
    )
    beta: Annotated[
        Real,
        FieldSpec(
            "Beta",
            group="Integration",
            help="Newmark constant of the position.",
            low=0.0,
            high=1.0,
            open_low=True,
        ),
    ] = 0.25
    gamma: Annotated[
        Real,
        FieldSpec(
            "Gamma",
            group="Integration",
            help="Newmark constant of the velocity.",
            low=0.0,
            high=2.0,
            open_low=True,
        ),
    ] = 0.5
    jacobian: Annotated[
        JacobianTerms,
        FieldSpec(
            "Iteration matrix",
            group="Newton iteration",
            help="M1 base, M2 SDA force by position, M3 by velocity; 'difference' takes all by finite differences.",
        ),
    ] = "M1+M2+M3"
    tolerance_abs: Annotated[
        Real,
        FieldSpec(
            "Absolute tolerance",
            unit="N",
            group="Newton iteration",
            help="Bound of the 2-norm of the unscaled residual.",
            low=0.0,
            advanced=True,
        ),
    ] = 1e-8
    tolerance_rel: Annotated[
        Real,
        FieldSpec(
            "Relative tolerance",
            group="Newton iteration",
            help="Added to the absolute one, times the largest force term.",
            low=0.0,
            high=1.0,
            advanced=True,
        ),
    ] = 1e-10
    max_iterations: Annotated[
        Whole, FieldSpec("Iteration limit", group="Newton iteration", low=1, high=100000, advanced=True)
    ] = 25
    projection: Annotated[
        Flag,
        FieldSpec(
            "Project velocities",
            group="Integration",
            help="Removes the part of velocity and acceleration that violates the constraints after each step. "
            "Long runs with gamma = 2 beta need it; the counts of the SDA study are without it.",
            advanced=True,
        ),
    ] = True

    @model_validator(mode="after")
    def _some_tolerance(self) -> NewmarkOptions:
        if self.tolerance_abs == 0.0 and self.tolerance_rel == 0.0:
            raise ValueError("One of the absolute and the relative tolerance needs a value above 0.")
        return self


class TreeOptions(EngineOptions):
    """Options of the recursive engine in joint coordinates."""

    solver: Annotated[
        Literal["ltdl", "sweep"],
        FieldSpec(
            "Elimination",
            group="Accelerations",
            help="Symmetric block factors, or Vereshchagin's sweep with explicit inverses; both are exact.",
        ),
    ] = "ltdl"
    integrator: Annotated[
        Literal["dormand-prince", "rk4", "stoermer", "symplectic-euler"],
        FieldSpec(
            "Integrator",
            group="Integration",
            help="Dormand-Prince chooses its own steps and fills the output steps between; the others take each step.",
        ),
    ] = "dormand-prince"
    tolerance_abs: Annotated[
        Real,
        FieldSpec(
            "Absolute tolerance",
            group="Integration",
            help="Local error that Dormand-Prince allows in coordinates and rates.",
            low=0.0,
            open_low=True,
        ),
    ] = 1e-8
    tolerance_rel: Annotated[
        Real,
        FieldSpec(
            "Relative tolerance",
            group="Integration",
            help="Added to the absolute one, times the size of the coordinate or rate.",
            low=0.0,
            high=1.0,
        ),
    ] = 1e-8
    loops: Annotated[
        Literal["projection", "baumgarte"],
        FieldSpec(
            "Closed loops",
            group="Closed loops",
            help="Bring positions and rates back on the loop rows after each step, or pull them back while it goes on.",
        ),
    ] = "projection"
    baumgarte_alpha: Annotated[
        Real,
        FieldSpec(
            "Baumgarte alpha",
            unit="1/s",
            group="Closed loops",
            help="Pull on the rate of a loop row: 2 alpha times it is taken from its second rate.",
            low=0.0,
            advanced=True,
        ),
    ] = 20.0
    baumgarte_beta: Annotated[
        Real,
        FieldSpec(
            "Baumgarte beta",
            unit="1/s",
            group="Closed loops",
            help="Pull on the residual of a loop row: beta squared times it is taken from its second rate.",
            low=0.0,
            advanced=True,
        ),
    ] = 20.0


class LcpOptions(EngineOptions):
    """Options of the contact engine: Moreau time stepping with an LCP in each step (Glocker, Studer 2005)."""

    coordinates: Annotated[
        Literal["automatic", "spatial", "planar"],
        FieldSpec(
            "Coordinates",
            group="Integration",
            help="Six or three velocities per body; automatic takes three where the mechanism stays in a plane.",
            advanced=True,
        ),
    ] = "automatic"
    theta: Annotated[
        Real,
        FieldSpec(
            "Joint velocity rule",
            group="Integration",
            help="Joint velocities W v become -theta times what they were; 0 is the plain rule and of lower accuracy.",
            low=0.0,
            high=0.99,
            advanced=True,
        ),
    ] = 0.9
    position_tolerance: Annotated[
        Real,
        FieldSpec(
            "Joint tolerance",
            unit="m",
            group="Integration",
            help="Bound of the joint gaps after the projection of each step.",
            low=0.0,
            open_low=True,
            advanced=True,
        ),
    ] = 1e-9
    projection_rounds: Annotated[
        Whole,
        FieldSpec(
            "Projection rounds",
            group="Integration",
            help="Rounds of joint projection at most; 0 lets the joints drift.",
            low=0,
            high=20,
            advanced=True,
        ),
    ] = 10
    cone: Annotated[
        Literal["circular", "polyhedral"],
        FieldSpec(
            "Friction cone",
            group="Contact",
            help="In space: the true circle, or a polygon around it with more sides.",
        ),
    ] = "circular"
    sides: Annotated[
        Whole,
        FieldSpec(
            "Sides of the cone",
            group="Contact",
            help="Of the polyhedral cone, an even number.",
            low=4,
            high=16,
        ),
    ] = 8
    impact_speed: Annotated[
        Real,
        FieldSpec(
            "Impacts from",
            unit="m/s",
            group="Contact",
            help="Slower approach is listed as touching, not as an impact; the motion does not change.",
            low=0.0,
        ),
    ] = 0.01
    tolerance: Annotated[
        Real,
        FieldSpec(
            "Contact tolerance",
            group="Contact",
            help="Bound of the error of the contact laws, over the largest contact speed.",
            low=1e-14,
            high=1e-2,
            advanced=True,
        ),
    ] = 1e-9

    @model_validator(mode="after")
    def _even_sides(self) -> LcpOptions:
        if self.sides % 2:
            raise ValueError(f"The friction cone needs an even number of sides, not {self.sides}.")
        return self


MAX_STEPS = 1e12
"""Steps a run may have; far beyond what any machine computes."""


class Settings(Frozen):
    """End time, steps and the engine with its options."""

    engine: Annotated[Literal["newmark", "tree", "lcp"], FieldSpec("Engine", group="Run")] = "newmark"
    t_end: Annotated[Real, FieldSpec("End time", unit="s", group="Run", low=0.0, open_low=True)] = 1.0
    h: Annotated[Real, FieldSpec("Step", unit="s", group="Run", low=0.0, open_low=True)] = 1e-3
    output_step: Annotated[
        Real | None,
        FieldSpec(
            "Output step",
            unit="s",
            group="Run",
            help="Interval of the stored frames; empty stores every step.",
            low=0.0,
            open_low=True,
            advanced=True,
        ),
    ] = None
    newmark: Annotated[NewmarkOptions, FieldSpec("Newmark")] = NewmarkOptions()
    tree: Annotated[TreeOptions, FieldSpec("Tree")] = TreeOptions()
    lcp: Annotated[LcpOptions, FieldSpec("Contact LCP")] = LcpOptions()

    @model_validator(mode="after")
    def _steps_fit(self) -> Settings:
        if self.h > self.t_end:
            raise ValueError(f"The step of {self.h:g} s is longer than the end time of {self.t_end:g} s.")
        if self.h * MAX_STEPS < self.t_end:
            raise ValueError(
                f"A step of {self.h:g} s makes more than {MAX_STEPS:g} steps. Take a longer one."
            )
        if self.output_step is not None and self.output_step < self.h * (1 - 1e-9):
            raise ValueError(
                f"The output step of {self.output_step:g} s is shorter than the step of {self.h:g} s."
            )
        return self

    def options(self, engine: str) -> EngineOptions:
        """Options of the engine of that name."""
        options = getattr(self, engine)
        assert isinstance(options, EngineOptions)
        return options
