"""What belongs to the framework as a whole: dtypes, places, devices, gradient modes, seeds, defaults."""

from __future__ import annotations

from paddlite.autograd.backward import grad
from paddlite.autograd.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from paddlite.backend.dtypes import (
    DType as dtype,
)
from paddlite.backend.dtypes import (
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from paddlite.backend.dtypes import (
    bool_ as bool,
)
from paddlite.backend.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from paddlite.core.tensor import Tensor
from paddlite.framework.device import (
    get_device,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
    set_device,
)
from paddlite.framework.device import in_pir_mode as in_pir_mode
from paddlite.framework.device import use_pir_api as use_pir_api
from paddlite.framework.flags import get_flags, set_flags
from paddlite.framework.io import load, save
from paddlite.framework.random import get_rng_state, seed, set_rng_state
from paddlite.framework.settings import get_default_dtype, set_default_dtype
from paddlite.nn.parameter import ParamAttr as ParamAttr

__all__ = [
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "Tensor",
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "dtype",
    "enable_grad",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "get_device",
    "get_flags",
    "get_rng_state",
    "grad",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_grad_enabled",
    "load",
    "no_grad",
    "save",
    "seed",
    "set_default_dtype",
    "set_device",
    "set_flags",
    "set_grad_enabled",
    "set_rng_state",
    "uint8",
]
