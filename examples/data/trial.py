"""Makes `trial.csv`: the made-up scores of 90 people in three arms, for the examples of `compare_groups`.

    python3 examples/data/trial.py

Scores are normal about 50, 53 and 57 with deviation 8, and fall by 0.1 a year of age; five cells are missing. No one was treated.
"""

import random
from pathlib import Path

random.seed(20261129)
rows = ["subject,arm,score,sex,age"]
means = {"placebo": 50, "low dose": 53, "high dose": 57}
missing = {("score", 11), ("score", 38), ("score", 77), ("age", 5), ("sex", 64)}
for place in range(90):
    arm = list(means)[place % 3]
    age = random.randint(21, 68)
    score = round(random.gauss(means[arm], 8) - 0.1 * (age - 45), 1)
    sex = random.choice(["female", "male"])
    cells = {"score": score, "sex": sex, "age": age}
    cells = {name: "" if (name, place) in missing else cell for name, cell in cells.items()}
    rows.append(f"S{place + 1:02},{arm},{cells['score']},{cells['sex']},{cells['age']}")
(Path(__file__).resolve().parent / "trial.csv").write_text("\n".join(rows) + "\n")
