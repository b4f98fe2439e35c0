# %% [markdown]
# # What does my matmul compute?
# Any callable that takes arrays can be asked. Vectors of length 8 go in, and what comes back tells the order of the
# additions, whether products are rounded, and more.

# %%
import numpy as np

import discern

np.seterr(all="ignore")  # inputs that overflow are asked too


def one_after_the_other(a, b):
    """A loop as one would write it, in fp32."""
    d = np.zeros(len(a), np.float32)
    for k in range(a.shape[1]):
        d = d + a[:, k] * b[:, k]
    return d


found = discern.identify(one_after_the_other, formats="f32,f32,-,f32", K=4, timeout=10, finite=True)
print(found)

# %% [markdown]
# The feature table takes a moment, and needs no hypothesis about the whole.

# %%
print(discern.probe(one_after_the_other, formats="f32,f32,-,f32", K=4))

# %% [markdown]
# torch's own products are ready-made targets, each vector at a place in the matrix that varies.

# %%
try:
    import discern.torch
except ImportError as error:
    print("skipped:", error)
else:
    print(discern.identify(discern.torch.matmul(K=4, M=8, N=8), timeout=10, finite=True))
