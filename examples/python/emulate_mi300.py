# %% [markdown]
# # Emulate MI300 numerics in PyTorch
# A model runs as another machine would run it, bit for bit in every product of matrices.

# %%
try:
    import torch

    import discern.torch
except ImportError as error:
    raise SystemExit(f"skipped: {error}")

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 10))
x = torch.randn(64, 256)
exact = model.double()(x.double()).detach()
model.float()

# %%
units = {
    "MI300": "cdna3/v_mfma_f32_16x16x16_bf16",
    "H100": "hopper/wgmma.m64n8k16.f32.bf16.bf16",
    "A100": "ampere/mma.m16n8k16.f32.bf16.bf16.f32",
}
outputs = {}
for machine, unit in units.items():
    with discern.torch.emulate(model, unit):
        outputs[machine] = model(x)
    print(f"{machine}: error {(outputs[machine] - exact).abs().max():.3g}")

# %%
same = (outputs["MI300"] == outputs["H100"]).float().mean()
print(f"{100 * same:.0f} % of the outputs have the same bits on an MI300 and an H100")
assert not torch.equal(outputs["MI300"], outputs["H100"])
