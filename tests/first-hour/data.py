"""The files every job finds in its folder, made without NumPy and the same each time.

A.npy, b.npy            A x = b of 300 unknowns with a dominant diagonal; x[k] = 1 + k % 7
A.csv, b.csv            a small system without a header; x = [1, -2, 3]
single.npy              3 x 3 in 32-bit floats, [[4, 1, 0], [1, 3, 1], [0, 1, 2]]; ones.npy is 1 1 1
integers.npy            the same in 64-bit integers
fortran.npy             [[1, 2], [3, 4], [5, 6]] in column order
both.npz                A and b of the small system as members
groups.csv              group,value: 7 rows of a, 5 of b
people.csv              name,height,weight,age: 8 rows
xy.csv                  x,y on the line 2 + 0.5 x with residuals that sum to 0: 12 rows
decay.csv               t,y = 2.5 exp(-0.7 t) + 0.3 without noise: 60 rows
laplace.mtx             the 5-point Laplace matrix on 30 x 30 points, Matrix Market
ones900.csv             900 ones
"""

import io
import math
import struct
import zipfile

GROUPS = {"a": [1.5, 2.25, 3.0, 3.75, 4.5, 0.5, 5.5], "b": [10.0, 12.5, 11.0, 9.5, 13.0]}
PEOPLE = [
    ("Ann", 165, 61.5, 34), ("Bob", 180, 82.0, 45), ("Cid", 172, 70.5, 29), ("Dot", 158, 52.0, 51),
    ("Eve", 169, 64.0, 38), ("Fay", 175, 73.5, 23), ("Gus", 190, 95.0, 60), ("Hal", 183, 88.5, 41),
]
SMALL = [[4, -1, 0.5], [2, 5, -1], [0, 1, 3]]
SMALL_X = [1, -2, 3]
SYMMETRIC = [[4, 1, 0], [1, 3, 1], [0, 1, 2]]
SIZE = 300
GRID = 30


def npy(values, shape, kind="<f8", fortran=False):
    """The bytes of an .npy file; `values` in the order of the file."""
    code = {"<f8": "d", "<f4": "f", "<i8": "q"}[kind]
    extents = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {extents}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = list(values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def flat(rows):
    return [value for row in rows for value in row]


def product(rows, x):
    return [sum(a * b for a, b in zip(row, x)) for row in rows]


def csv(header, rows):
    lines = ([",".join(header)] if header else []) + [",".join(map(str, row)) for row in rows]
    return "\n".join(lines) + "\n"


def large():
    """A system of integers, so that its right-hand side is exact."""
    rows = [[(i * 7 + j * 13 + i * j) % 11 - 5 for j in range(SIZE)] for i in range(SIZE)]
    for i, row in enumerate(rows):
        row[i] = 2000 + i
    return rows, product(rows, [1 + k % 7 for k in range(SIZE)])


def laplace():
    entries = []
    for i in range(GRID):
        for j in range(GRID):
            row = i * GRID + j + 1
            entries.append((row, row, 4))
            if i + 1 < GRID:
                entries.append((row + GRID, row, -1))
            if j + 1 < GRID:
                entries.append((row + 1, row, -1))
    size = GRID * GRID
    head = f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(entries)}\n"
    return head + "".join(f"{row} {column} {value}\n" for row, column, value in entries)


def xy():
    noise = [0.5, -0.5, 0.25, -0.25, -0.5, 0.5, 0.75, -0.75, -0.25, 0.25, 0.5, -0.5]
    return [(float(x), 2 + 0.5 * x + error) for x, error in enumerate(noise, 1)]


def decay():
    return [(round(k * 0.1, 1), 2.5 * math.exp(-0.7 * round(k * 0.1, 1)) + 0.3) for k in range(60)]


def make(folder):
    rows, right = large()
    small_right = product(SMALL, SMALL_X)
    files = {
        "A.npy": npy(flat(rows), (SIZE, SIZE)),
        "b.npy": npy(right, (SIZE,)),
        "A.csv": csv(None, SMALL),
        "b.csv": csv(None, [[value] for value in small_right]),
        "single.npy": npy(flat(SYMMETRIC), (3, 3), "<f4"),
        "ones.npy": npy([1, 1, 1], (3,), "<i8"),
        "integers.npy": npy(flat(SYMMETRIC), (3, 3), "<i8"),
        "fortran.npy": npy([1, 3, 5, 2, 4, 6], (3, 2), fortran=True),
        "groups.csv": csv(("group", "value"), [(group, value) for group, values in GROUPS.items() for value in values]),
        "people.csv": csv(("name", "height", "weight", "age"), PEOPLE),
        "xy.csv": csv(("x", "y"), xy()),
        "decay.csv": csv(("t", "y"), decay()),
        "laplace.mtx": laplace(),
        "ones900.csv": "1\n" * (GRID * GRID),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for name, content in (("A.npy", npy(flat(SMALL), (3, 3))), ("b.npy", npy(small_right, (3,)))):
            members.writestr(zipfile.ZipInfo(name), content)
    files["both.npz"] = archive.getvalue()
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
