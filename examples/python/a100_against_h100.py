# %% [markdown]
# # A100 against H100 in ten vectors
# The same instruction on two machines. How often do results differ, on which inputs, and what is the reason?

# %%
import numpy as np

import discern

a100 = discern.unit("ampere/mma.m16n8k16.f32.f16.f16.f32")
h100 = discern.unit("hopper/mma.m16n8k16.f32.f16.f16.f32")
print(a100.tree)
print(h100.tree)

# %% [markdown]
# On ordinary numbers: one vector in so many.

# %%
a, b = np.random.default_rng(1).standard_normal((2, 100_000, 16)).astype(np.float16)
differ = a100(a, b) != h100(a, b)
print(f"{differ.sum()} of {len(differ)} random vectors differ")

# %% [markdown]
# Ten vectors, each of another kind, with both results: as a file for a test, or as arrays.

# %%
answer = discern.synth(a100, h100, n=10, timeout=30)
for one in answer.vectors:
    (line,) = one.to_dict()["vectors"]
    print(" ".join(line["a"]), "|", " ".join(line["b"]), "|", line["c"], "->", *line["d"])
assert (answer.vectors.d[:, 0] != answer.vectors.d[:, 1]).all()

# %% [markdown]
# Which parameters do it? The H100 adds all sixteen products at once, with one fraction bit more.

# %%
for key, value in a100.parameters.items():
    if h100.parameters.get(key) != value:
        print(f"{key}: {value} on the A100, {h100.parameters.get(key)} on the H100")
