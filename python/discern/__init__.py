"""discern: what matrix units compute, bit for bit; on which inputs two differ, or a proof that they never do; and
which unit something is.

    import discern
    u = discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16")
    d = u(a, b, c)                                  # dot products: numpy or torch arrays in, the same out
    discern.synth(u, u.with_(F=24)).vectors         # inputs on which the two differ
    discern.identify(f, formats="f32,f32,f32,f32", K=8)     # what does this callable compute?
"""

from . import _core, analysis, commands
from .analysis import *
from .arrays import numbers, patterns
from .commands import *
from .errors import ArrayError, CallableError, Error, InputError, Interrupted, ShapeError
from .formats import Format, Shape, format_of, formats
from .packed import Packed, packed
from .profiles import LibraryKernel, NotEmulated, NotMeasured, Profile, library_kernel, profiles
from .results import (
    Answer, Check, Comparison, Explanation, Feature, Identification, KernelIdentification, Measurement, Probe,
    Properties, Property, Result, SameBits, Suite, TargetKind, Which,
)  # fmt: skip
from .scaled import scaled_mm
from .units import Parameter, Unit, Units, unit, units
from .vectors import Vectors, parse, read, write

__version__ = _core.version

__all__ = [
    "Answer", "ArrayError", "CallableError", "Check", "Comparison", "Error", "Explanation", "Feature", "Format",
    "Identification", "InputError", "Interrupted", "KernelIdentification", "LibraryKernel", "Measurement", "NotEmulated", "NotMeasured", "Packed",
    "Parameter", "Probe", "Profile", "Properties", "Property", "Result", "SameBits", "Shape", "ShapeError", "Suite", "TargetKind", "Unit", "Units", "Vectors", "Which",
    "format_of", "formats", "library_kernel", "numbers", "packed", "parse", "patterns", "profiles", "read", "scaled_mm", "unit", "units", "write",
]  # fmt: skip
__all__ += analysis.__all__
__all__ += commands.__all__
