"""Makes signal.csv: one and a half seconds at 1000 Hz, sines of 50 Hz (amplitude 1) and 120 Hz (0.5), noise of standard deviation 0.5.

    python3 examples/data/signal.py > examples/data/signal.csv
"""

import math
import random

noise = random.Random(1)
print("t,v")
for j in range(1500):
    t = j / 1000
    v = math.sin(2 * math.pi * 50 * t) + 0.5 * math.sin(2 * math.pi * 120 * t) + noise.gauss(0, 0.5)
    print(f"{t:.3f},{v:.4f}")
