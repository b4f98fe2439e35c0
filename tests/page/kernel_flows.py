"""The view "Kernel" in a browser; flows.py runs these tests with its own, as test_… (t), a Page."""

import json
import re
import tempfile
import time
from pathlib import Path

TAB, SPACE, ENTER = "\ue004", " ", "\ue007"
READY = """const a = document.querySelector('.kernel-view .answer'); if (!a || a.hasAttribute('aria-busy') || document.body.classList.contains('busy')) return null;
const v = a.querySelector('.verdict h2, .verdict .trouble'); return v ? v.textContent : null"""
TERMS = "return [...document.querySelectorAll('.reading[data-kernel=' + arguments[0] + '] .scroll .terms tbody tr')].map(r => (r.cells[0].textContent ? r.cells[0].textContent + ' = ' : '') + r.cells[1].textContent)"
SCHEDULE = "const e = document.querySelector('.reading[data-kernel=' + arguments[0] + '] .notation code'); return e && e.textContent"
LAUNCH = "return document.querySelector('.kernel[data-kernel=' + arguments[0] + '] textarea[aria-label$=JSON]').value"


def ready(t, seconds=60):
    return t.browser.wait(READY, seconds=seconds, what="an answer about the kernel")


def forget(t):
    """What is shown is old from here on."""
    t.browser.run("document.querySelector('.kernel-view .answer').setAttribute('aria-busy', 'true')")


def drop(t, files, which="a"):
    t.browser.run("""const [files, which] = arguments, data = new DataTransfer();
        for (const [name, content] of files) data.items.add(new File([content], name));
        document.querySelector('.kernel[data-kernel=' + which + '] .drop').dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));""",
                  [[name, content] for name, content in files.items()], which)


def type_into(t, selector, text):
    """As a paste into a field is."""
    t.browser.run("""const e = document.querySelector(arguments[0]); e.focus(); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}));""", selector, text)


def kernel_files(t, name, launch=True):
    folder = Path(t.root, "tests/data/kernels")
    found = {p.name: p.read_text() for p in sorted(folder.glob(f"{name}.*")) if launch or not p.name.endswith(".json")}
    assert found, name
    return found


def native(t, files, *command):
    """What the native program prints of such files; a sentence where it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_text(content)
        answer = t.native(*command, "--json", folder=folder)
        return json.loads(answer.stdout) if answer.returncode != 2 else answer.stderr.strip().splitlines()[-1].removeprefix("discern: ")


def choose(t, what):
    forget(t)
    t.browser.run("document.querySelector('[data-with=' + arguments[0] + ']').click()", what)


def test_kernel_example(t):
    """The view shows an example at once, which is what `show` says of it; its address has no words."""
    began = time.monotonic()
    t.open("#kernel")
    text = ready(t)
    print(f"    first kernel {time.monotonic() - began:.2f} s after the address was given")
    expected = native(t, kernel_files(t, "mm_f16_sm80"), "show", "ptx:mm_f16_sm80.ptx")
    assert text == f"Each element of D is {expected['kernel']}", text
    assert t.browser.run(SCHEDULE, "a") == expected["kernel"] and t.browser.run(TERMS, "a") == expected["terms"]
    assert t.browser.run("return location.hash") == "#kernel"
    rows = t.browser.run("return [...document.querySelectorAll('.keys tr')].map(r => r.textContent)")
    assert "the instruction of A100" in rows[0] and "in 8 instructions of 16, one after the other" in rows[1] and "rounded to f16" in rows[2], rows


def test_kernel_dropped(t):
    """Kernels with their launches: schedules, terms, several trees, open points, LLVM IR with its assembly."""
    t.open("#kernel")
    ready(t)
    for name, ending in (("blockscale_e4m3_sm90", "ptx"), ("mm_bias_gelu_sm90", "ptx"), ("mm_e4m3_promote_sm90", "ptx"), ("splitk_atomic_sm80", "ptx"), ("rowsum_sm80", "ptx"),
                         ("mm_f16_gfx942", "llir"), ("squares_gfx942", "llir")):
        files = kernel_files(t, name)
        expected = native(t, files, "show", f"{ending}:{name}.{ending}")
        forget(t)
        drop(t, files)
        text = ready(t)
        assert t.browser.run(SCHEDULE, "a") == expected["kernel"] and t.browser.run(TERMS, "a") == expected["terms"], (name, text, expected)
        open_points = t.browser.run("return [...document.querySelectorAll('.open-points li')].map(e => e.textContent)")
        assert any("Atomic" in p for p in open_points) == expected["ordered_atomics"], (name, open_points)
        assert any("may be fused" in p for p in open_points) == (expected["contractible"] > 0), (name, open_points)
        assert all(any(f in p for p in open_points) for f in expected["uninterpreted"]), (name, open_points)


def test_kernel_form(t):
    """A field of the form changes the launch, and the answer follows; the JSON changes the form."""
    t.open("#kernel")
    ready(t)
    files = kernel_files(t, "mm_f16_sm80")
    forget(t)
    for selector, value in (("[data-argument='0'] [data-key=shape]", "64 x 64"), ("[data-argument='1'] [data-key=shape]", "64, 32"), ("[data-argument='5'] [data-key=value]", "64"),
                            ("[data-argument='6'] [data-key=value]", "64")):
        type_into(t, selector, value)
    text = ready(t)
    launch = t.browser.run(LAUNCH, "a")
    files["mm_f16_sm80.launch.json"] = launch
    expected = native(t, files, "show", "ptx:mm_f16_sm80.ptx")
    assert text == f"Each element of D is {expected['kernel']}" and "K=64" in text, (text, launch)
    forget(t)
    type_into(t, "textarea[aria-label$=JSON]", kernel_files(t, "mm_f16_sm80")["mm_f16_sm80.launch.json"])
    assert "K=128" in ready(t)
    assert t.browser.run("return document.querySelector(\"[data-argument='0'] [data-key=shape]\").value") == "64 × 128"
    forget(t)
    t.browser.run("const s = document.querySelector(\"[data-argument='2'] select\"); s.value = 'matrix'; s.dispatchEvent(new Event('change'));")
    files["mm_f16_sm80.launch.json"] = t.browser.run(LAUNCH, "a")
    said, expected = ready(t), native(t, files, "show", "ptx:mm_f16_sm80.ptx")
    assert expected == {"results": []} and said == "The launch names no result: say which parameter is one", (said, expected)
    forget(t)
    type_into(t, "textarea[aria-label$=JSON]", '{"launch": 1, "arguments": [{"i64": 9223372036854775807}]}')
    assert "no matrix and no result" in ready(t)
    assert "more than 15 digits" in t.browser.run("return document.querySelector('.launch').textContent"), "a form would write such a number with other digits"


def test_kernel_guess(t):
    """A kernel alone gets a launch that is said to be a guess, and the answer is that of this launch."""
    t.open("#kernel")
    ready(t)
    for name, ending in (("mm_f16_sm90", "ptx"), ("e4m3_rows64_sm90", "ptx"), ("mm_f16_kpack1_gfx942", "llir"), ("rowsum_sm80", "ptx")):
        files = kernel_files(t, name, launch=False)
        forget(t)
        drop(t, files)
        ready(t, seconds=90)
        assert "The launch is a guess" in t.browser.run("return document.querySelector('.kernel').textContent"), name
        files[f"{name}.launch.json"] = t.browser.run(LAUNCH, "a")
        expected = native(t, files, "show", f"{ending}:{name}.{ending}")
        assert "The launch was guessed" in t.browser.run("return document.querySelector('.verdict').textContent")
        assert isinstance(expected, dict) and t.browser.run(TERMS, "a") == expected["terms"] and t.browser.run(SCHEDULE, "a") == expected["kernel"], (name, expected)
        given = native(t, kernel_files(t, name), "show", f"{ending}:{name}.{ending}")
        if given["kernel"]:  # a guess has another K, and the same unit
            assert expected["kernel"].split("@")[0] == given["kernel"].split("@")[0], (expected, given)
    forget(t)
    type_into(t, "[data-launch=grid]", "32 × 1 × 1")
    ready(t)
    assert "The launch is a guess" not in t.browser.run("return document.querySelector('.kernel').textContent")


def test_kernel_of_cuda(t):
    """A file of two kernels without blocks: the menu chooses one, and a result that is read, too, holds an operand before."""
    t.open("#kernel")
    ready(t)
    code = Path(t.root, "tests/page/plain.ptx").read_text()
    forget(t)
    type_into(t, ".kernel[data-kernel=a] .drop textarea", code)
    ready(t, seconds=90)
    terms = t.browser.run(TERMS, "a")
    assert terms == ["t0 = x86/fma.f32{nan=7fffffff}@[K=64](A[m,k], B[k,n], +0)", "t1 = add.f32(t0, mul.f32(D_before[m,n], 0x3f800000))"], terms
    forget(t)
    t.browser.run("const s = document.querySelector('select[aria-label^=Entry]'); s.value = [...s.options].find(o => o.value.includes('add')).value; s.dispatchEvent(new Event('change'));")
    ready(t, seconds=90)
    assert t.browser.run(TERMS, "a") == ["t0 = add.f32(A[n], B[n])"]
    forget(t)
    drop(t, kernel_files(t, "mm_f16_sm80"))
    assert "K=128" in ready(t)


def test_kernel_names(t):
    """A text that is pasted over another gets its own name; endings are those of the language; names of links and files may be any."""
    t.open("#kernel")
    ready(t)
    llir = kernel_files(t, "mm_f16_gfx942")
    forget(t)
    type_into(t, ".kernel[data-kernel=a] .drop textarea", llir["mm_f16_gfx942.llir"])
    ready(t, seconds=90)
    assert "product.llir, 30 kB of LLVM IR for gfx942, kernel product." in t.browser.run("return document.querySelector('.kernel').textContent")
    assert t.browser.run(SCHEDULE, "a") == "cdna3/v_mfma_f32_32x32x8_f16@[K=64 d=f16:rne]"
    for name in ("a text of AMD.ptx", "../up", "-o", "x:y'z\".txt", "ä.ll"):
        forget(t)
        drop(t, {name: llir["mm_f16_gfx942.llir"], "of it.launch.json": llir["mm_f16_gfx942.launch.json"]})
        assert "K=128" in ready(t), name
    for name in ("../../files/up.ptx", "", "a b", "..", "/"):
        link = t.browser.run("""const [name, files] = arguments; window.packed = null;
            (async () => { const bytes = new TextEncoder().encode(JSON.stringify({a: {name, code: files[0], launch: files[1]}}));
              const packed = new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
              let text = ''; for (const b of packed) text += String.fromCharCode(b);
              window.packed = btoa(text).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, ''); })();
            return null;""", name, list(kernel_files(t, "mm_f16_sm80").values())[::-1])
        link = t.browser.wait("return window.packed")
        t.open(f"#kernel?k={link}")
        assert "K=128" in ready(t), name


def test_kernel_refused(t):
    """What is no kernel, an instruction that is not read, a launch that does not fit: the program's sentence."""
    t.open("#kernel")
    ready(t)
    files = kernel_files(t, "mm_f16_sm80")
    code, launch = files["mm_f16_sm80.ptx"], files["mm_f16_sm80.launch.json"]
    for changed in ({"mm_f16_sm80.ptx": code.replace("mma.sync.aligned.m16n8k16", "mma.sp.sync.aligned.m16n8k16")},
                    {"mm_f16_sm80.ptx": code[:len(code) // 2]},
                    {"mm_f16_sm80.ptx": "no kernel at all\n"},
                    {"mm_f16_sm80.launch.json": launch.replace('"grid": [2', '"grid": [3')},
                    {"mm_f16_sm80.launch.json": launch.replace('"f16"', '"f17"', 1)},
                    {"mm_f16_sm80.launch.json": launch[:-3]}):
        forget(t)
        drop(t, {**files, **changed})
        said = ready(t)
        expected = native(t, {**files, **changed}, "show", "ptx:mm_f16_sm80.ptx")
        assert isinstance(expected, str) and said == expected, (said, expected)
        line = re.match(r"mm_f16_sm80\.ptx:(\d+):", said)
        if line:
            t.browser.run("[...document.querySelectorAll('.verdict button')].find(b => b.textContent === arguments[0]).click()", f"Show line {line[1]}")
            chosen = t.browser.run("const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd)")
            assert chosen == {**files, **changed}["mm_f16_sm80.ptx"].split("\n")[int(line[1]) - 1], (said, chosen)
    forget(t)
    drop(t, files)
    assert ready(t).startswith("Each element of D is")
    type_into(t, ".kernel[data-kernel=a] .drop textarea", "")
    t.browser.wait("return /Paste a kernel/.test(document.querySelector('.verdict').textContent)", what="that there is no kernel")


def test_kernel_compared(t):
    """Two kernels: different with a vector, the same, not known; one and a schedule. The verdicts and vectors of `same-bits`."""
    t.open("#kernel")
    ready(t)
    choose(t, "kernel")
    ready(t)
    for a, b in (("mm_f16_sm80", "mm_f16_sm90"), ("e4m3_rows64_sm90", "e4m3_rows16_sm90"), ("mm_f16_gfx942", "mm_f16_sm80"), ("splitk_atomic_sm80", "splitk_atomic_sm80"),
                 ("mm_tf32x3_sm80", "mm_tf32x3_sm80"), ("squares_gfx942", "squares_nofuse_gfx942"), ("mm_f16_sm80", "rowsum_sm80")):
        files = {"a": kernel_files(t, a), "b": kernel_files(t, b)}
        if a == b:
            files["b"] = {n.replace(b, f"other_{b}"): c for n, c in files["b"].items()}
        forget(t)
        drop(t, kernel_files(t, a))
        ready(t)
        forget(t)
        drop(t, kernel_files(t, b), "b")
        text = ready(t)
        names = [next(f"{n.split('.')[1]}:{n}" for n in files[k] if re.search(r"\.(ptx|llir)$", n)) for k in "ab"]
        expected = native(t, {**files["a"], **files["b"]}, "same-bits", *names)
        if isinstance(expected, str):
            assert text == expected, (text, expected)
            continue
        assert {"different": "give other bits in", "same": "give the same bits for all inputs", "unknown": "Not known"}[expected["verdict"]] in text, (a, b, text, expected)
        if expected["vector"]:
            assert t.results() == expected["vector"]["d"], (a, b, expected)
            operands = t.browser.run("return Object.fromEntries([...document.querySelectorAll('.operands tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent]))")
            assert operands == expected["vector"]["operands"], (a, b, operands)
            values = t.browser.run("return [...document.querySelectorAll('.term-value')].map(e => e.textContent)")
            assert any(f"is {expected['vector']['d'][0]}" in v for v in values) and any(f"is {expected['vector']['d'][1]}" in v for v in values), values
        else:
            assert expected["by"] in t.browser.run("return document.querySelector('.verdict').textContent")
    forget(t)
    drop(t, kernel_files(t, "mm_f16_sm80"))
    ready(t)
    choose(t, "schedule")
    ready(t)
    for line in ("ampere/mma.m16n8k8.f32.f16.f16.f32@[d=f16:rne]", "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128 d=f16:rne]", "ampere/mma.m16n8k16.f32.f16.f16.f32@[K=64]"):
        forget(t)
        type_into(t, "#schedule", line)
        text = ready(t)
        expected = native(t, kernel_files(t, "mm_f16_sm80"), "same-bits", "ptx:mm_f16_sm80.ptx", line)
        if isinstance(expected, str):
            assert text == expected, (text, expected)
        else:
            assert {"different": "give other bits", "same": "give the same bits"}[expected["verdict"]] in text, (line, text)
            assert not expected["vector"] or t.results() == expected["vector"]["d"]


def test_kernel_stop(t):
    """A long kernel is stopped, and the next one is answered."""
    t.open("#kernel")
    ready(t)
    files = kernel_files(t, "mm_f16_sm80")
    long = {"launch": 1, "grid": [32 * 32, 1, 1], "shared": 8192, "arguments": [{"matrix": "A", "format": "f16", "shape": [1024, 2048], "axes": "mk"},
            {"matrix": "B", "format": "f16", "shape": [2048, 1024], "axes": "kn"}, {"result": "D", "format": "f16", "shape": [1024, 1024], "axes": "mn"}, *[{"i32": n} for n in (1024, 1024, 2048, 2048, 1024, 1024)]]}
    forget(t)
    drop(t, {**files, "mm_f16_sm80.launch.json": json.dumps(long)})
    t.browser.wait("return document.body.classList.contains('busy') && !document.getElementById('stop').disabled", what="a question that runs")
    time.sleep(0.3)
    t.browser.run("document.getElementById('stop').click()")
    assert ready(t) == "Stopped."
    assert "discern show ptx:mm_f16_sm80.ptx" in t.browser.run("return document.querySelector('.verdict').textContent")
    forget(t)
    drop(t, kernel_files(t, "rowsum_sm80"))
    assert ready(t).startswith("Each element of y is")


def test_kernel_link(t):
    """A link opened afresh shows the same kernels; what it cannot keep it says; one that was cut off shows the example."""
    t.open("#kernel")
    ready(t)
    forget(t)
    drop(t, kernel_files(t, "attention_sm80"))
    ready(t)
    choose(t, "kernel")
    ready(t)
    forget(t)
    drop(t, kernel_files(t, "mm_f16_gfx942"), "b")
    text = ready(t)
    link = t.browser.wait("return location.hash.length > 2000 && location.hash")
    shown = t.browser.run("return [...document.querySelectorAll('.kernel textarea')].map(e => e.value)")
    assert shown[0] == kernel_files(t, "attention_sm80")["attention_sm80.ptx"]
    t.open(link)
    assert ready(t) == text
    assert t.browser.run("return [...document.querySelectorAll('.kernel textarea')].map(e => e.value)") == shown
    assert t.browser.run("return location.hash") == link
    # The example keeps its short address in each view that it shows.
    choose(t, "nothing")
    ready(t)
    long = kernel_files(t, "mm_f16_sm80")
    long["mm_f16_sm80.ptx"] += "// a remark that makes the text long\n" * 2000
    forget(t)
    drop(t, long)
    ready(t)
    assert "A link keeps its launch, and not so long a text" in t.browser.run("return document.querySelector('.kernel').textContent")
    link = t.browser.wait("return location.hash.length < 1500 && location.hash.includes('k=') && location.hash")
    t.open(link)
    t.browser.wait("return /is missing/.test(document.querySelector('.verdict').textContent)", what="that the file is missing")
    assert "a link does not keep so long a text. Give the file again" in t.browser.run("return document.querySelector('.kernel').textContent")
    forget(t)
    drop(t, {"mm_f16_sm80.ptx": long["mm_f16_sm80.ptx"]})
    assert "K=128" in ready(t), "the launch that the link has kept"
    t.open(link[:len(link) // 2])
    assert "cut off or changed" in t.browser.wait("const e = document.querySelector('.verdict .trouble'); return e && e.textContent")
    assert t.browser.run("return document.querySelector('.kernel textarea').value") == kernel_files(t, "mm_f16_sm80")["mm_f16_sm80.ptx"]


def test_kernel_accessible(t):
    """Two kernels, their form and steps open: the rules of accessibility, in light and dark, on a phone."""
    rules = Path(t.root, "tests/page/rules.js").read_text()
    for is_phone in (False, True) if t.browser.name == "chromium" else (False,):
        if t.browser.name == "chromium":
            t.browser.dark(is_phone)
            t.browser.phone(is_phone)
        try:
            t.open("#kernel")
            ready(t)
            choose(t, "kernel")
            ready(t)
            t.browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            time.sleep(0.2)
            wrong = t.browser.run(rules)
            assert not wrong, "\n".join(wrong)
        finally:
            if t.browser.name == "chromium":
                t.browser.dark(False)
                t.browser.phone(False)


def test_kernel_from_folder(t):
    """The view works from a folder, without a server."""
    page = Path(t.folder, "index.html").resolve().as_uri()
    t.browser.open("about:blank")
    t.browser.open(page + "#kernel")
    ready(t)
    forget(t)
    drop(t, kernel_files(t, "rowsum_sm80"))
    assert ready(t).startswith("Each element of y is")
    link = t.browser.wait("return location.hash.includes('k=') && location.hash")
    t.browser.open("about:blank")
    t.browser.open(page + link)
    assert ready(t).startswith("Each element of y is")


def test_kernel_keyboard(t):
    """Text, form, comparison, terms and files are reached by the keyboard, in this order."""
    t.open("#kernel")
    ready(t)
    seen = []
    t.browser.run("document.getElementById('view').focus()")
    for _ in range(70):
        t.browser.keys(TAB)
        seen.append(t.browser.run("const e = document.activeElement; return e.getAttribute('aria-label') || e.textContent.slice(0, 40) || e.tagName"))
    wanted = ["Files of The kernel", "Text of The kernel", "How it is started", "Grid, in blocks of The kernel", "mm_param_0 of The kernel is", "Shape of mm_param_0", "Nothing", "Another kernel",
              "schedule", "Its terms", "command line", "Copy a link to this"]
    at = [seen.index(w) if w in seen else -1 for w in wanted]
    assert -1 not in at and at == sorted(at), (list(zip(wanted, at)), seen)
    t.open("#kernel")  # the focus may have gone on to the browser itself
    ready(t)
    t.browser.keys(TAB)
    t.browser.run("document.querySelector('[data-with=schedule]').focus()")
    forget(t)
    t.browser.keys(SPACE)
    assert "give the same bits for all inputs" in ready(t)
    t.browser.run("document.getElementById('schedule').focus()")
    forget(t)
    t.browser.run("document.getElementById('schedule').select()")
    t.browser.keys("ampere/mma.m16n8k8.f32.f16.f16.f32@[]" + ENTER)
    assert "D is f16" in ready(t) or "other bits" in ready(t)
