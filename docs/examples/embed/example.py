"""The C interface from Python, with nothing but ctypes: python3 example.py libdiscern.so"""
import ctypes
import json
import struct
import sys

discern = ctypes.CDLL(sys.argv[1])
discern.discern_unit_new.restype = ctypes.c_void_p
discern.discern_explain.restype = ctypes.c_void_p
message = ctypes.create_string_buffer(1000)
unit = ctypes.c_void_p(discern.discern_unit_new(b"volta/mma.m8n8k4.f32.f16.f16.f32", message, 1000))
if not unit:
    sys.exit(message.value.decode())

K = 4  # halves of a and of b
a = struct.pack("<4e", -8192, 0, 0, 2)
b = struct.pack("<4e", 1024, 0, 0, 0.25)
c, d = struct.pack("<f", 8388608), ctypes.create_string_buffer(4)
if discern.discern_dots(unit, ctypes.c_size_t(1), a, b, c, None, None, d, message, 1000) != 0:
    sys.exit(message.value.decode())
print("d =", struct.unpack("<f", d.raw)[0])  # exactly 0.5: beside products of 2^23 the half is cut off

text = discern.discern_explain(unit, a, b, c, None, None, message, 1000)
if not text:
    sys.exit(message.value.decode())
print("keys of the explanation:", ", ".join(json.loads(ctypes.string_at(text))))
discern.discern_free(ctypes.c_void_p(text))
discern.discern_unit_free(unit)
