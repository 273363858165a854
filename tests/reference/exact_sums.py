"""Makes exact_sums.json: sums by `math.fsum`, means and variances by `statistics` over exact fractions, as bits of doubles.

    python3 tests/reference/exact_sums.py
"""

import json
import math
import random
import statistics
import struct
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 80
random.seed(20151)
sums, pairs = [], []


def bits(number):
    return struct.pack(">d", number).hex()


def add(name, terms):
    try:
        case = {"name": name, "terms": [bits(term) for term in terms], "sum": bits(math.fsum(terms))}
    except OverflowError:
        return  # of a part of the sum: no fault of ours, and no reference
    exact = [Fraction(term) for term in terms]
    case["mean"] = bits(float(statistics.mean(exact)))
    if len(terms) > 1:
        try:
            case["variance"] = bits(float(statistics.variance(exact)))
            case["deviation"] = bits(statistics.stdev(exact))
        except OverflowError:
            pass
    sums.append(case)


add("tenths", [0.1] * 10)
add("cancelling powers", [1e100, 1.0, -1e100, 1e-100])
add("just above a tie", [2.0**53, 1.0, 2.0**-60])
add("a tie", [2.0**53, 1.0])
add("subnormal numbers", [5e-324, 5e-324, -1e-323, 5e-324])
add("near the largest", [1.7976931348623157e308, -1.7976931348623157e308, 1.7e308])
add("one", [3.5])
add("zeros of both signs", [-0.0, 0.0])
for index in range(12):
    add(f"of all sizes {index}", [random.uniform(-1, 1) * 2.0 ** random.randint(-1060, 1000) for _ in range(25)])
for index in range(12):
    terms = [random.gauss(0, 1) * 10 ** random.randint(-8, 8) for _ in range(40)]
    terms += [-term for term in terms[:20]]
    random.shuffle(terms)
    add(f"cancelling {index}", terms)
for index in range(6):
    add(f"near each other {index}", [1e9 + random.random() * 1e-3 for _ in range(50)])
for index in range(10):
    x = [random.gauss(5, 2) for _ in range(30)]
    y = [one * random.choice([-1, 0.5, 2]) + random.gauss(0, 3) for one in x]
    exact_x, exact_y = [Fraction(one) for one in x], [Fraction(one) for one in y]
    mean_x, mean_y = sum(exact_x) / len(x), sum(exact_y) / len(y)
    joint = sum((a - mean_x) * (b - mean_y) for a, b in zip(exact_x, exact_y))
    square = joint**2 / (sum((a - mean_x) ** 2 for a in exact_x) * sum((b - mean_y) ** 2 for b in exact_y))
    size = float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())
    pairs.append({"x": [bits(one) for one in x], "y": [bits(one) for one in y], "correlation": bits(math.copysign(size, joint))})

text = json.dumps({"sums": sums, "pairs": pairs}, separators=(",", ":")).replace("},{", "},\n{")
Path(__file__).with_suffix(".json").write_text(text + "\n")
