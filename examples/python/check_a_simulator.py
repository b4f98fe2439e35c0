# %% [markdown]
# # Check a simulator
# The design under test is whatever Python can call: a C model by ctypes, an RTL simulation by cocotb, a script. Here it
# is a stand-in that keeps one fraction bit too few, as a design might.

# %%
import discern

right = discern.unit("hopper/wgmma.m64n8k16.f32.f16.f16")
stand_in = right.with_(F=24)


def device(a, b, c):
    """Patterns in, patterns out. In a test of cocotb: drive the ports, wait for the clock, read the port of d."""
    return stand_in(a, b, c)


# %%
checked = discern.check(device, right, n=20_000, arrays="patterns", show=3)
print(checked)
assert checked.mismatches > 0

# %% [markdown]
# What is it, then? The nearest thing in a space around the right unit.

# %%
found = discern.which(device, formats=",".join(right.formats), K=right.K, arrays="patterns", space=right.text + "{F={22..26}}")
print(found)
assert any("F=24" in name for names in found.consistent for name in names)

# %% [markdown]
# The other way round, as the expected values of a test bench: a file of vectors with results, of all kinds of input.

# %%
vectors = discern.generate(right, n=1000, results=True)
print(vectors, len(vectors.mismatches(stand_in)), "of them show the mistake")
