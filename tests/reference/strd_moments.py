"""Makes strd_moments.json: means, standard deviations and analyses of variance of the Statistical Reference Datasets of NIST.

    pip install mpmath && python3 tests/reference/strd_moments.py

https://www.itl.nist.gov/div898/strd/univ/univ.html and https://www.itl.nist.gov/div898/strd/anova/anova.html; public domain. The certified values
are NIST's, printed to 15 digits; each set is checked against them in exact arithmetic before it is written, so that a wrong digit of the data shows.
Sets that a formula makes (NumAcc, SmLs) are made by the tests of `statistics` and `anova`.

PiDigits are the first 5000 digits of pi but for one: the certified mean, deviation and lag-1 autocorrelation are those of whole numbers, the sum 22674, the sum
of squares 143922 and the sum of products of neighbours 102674, and the digits have 22679, 143977 and 102709. Those differ by 5, 55 and 35: an 8 between
digits of the sum 7 that was written as a 3. The certified values do not say which of them; the first one is taken, and any other has the same values.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import mpmath as mp

LEW = """-213 -564 -35 -15 141 115 -420 -360 203 -338 -431 194 -220 -513 154 -125 -559 92 -21 -579 -52 99 -543 -175 162 -457 -346 204 -300 -474
164 -107 -572 -8 83 -541 -224 180 -420 -374 201 -236 -531 83 27 -564 -112 131 -507 -254 199 -311 -495 143 -46 -579 -90 136 -472 -338 202 -287 -477
169 -124 -568 17 48 -568 -135 162 -430 -422 172 -74 -577 -13 92 -534 -243 194 -355 -465 156 -81 -578 -64 139 -449 -384 193 -198 -538 110 -44 -577
-6 66 -552 -164 161 -460 -344 205 -281 -504 134 -28 -576 -118 156 -437 -381 200 -220 -540 83 11 -568 -160 172 -414 -408 188 -125 -572 -32 139 -492
-321 205 -262 -504 142 -83 -574 0 48 -571 -106 137 -501 -266 190 -391 -406 194 -186 -553 83 -13 -577 -49 103 -515 -280 201 300 -506 131 -45 -578 -80
138 -462 -361 201 -211 -554 32 74 -533 -235 187 -372 -442 182 -147 -566 25 68 -535 -244 194 -351 -463 174 -125 -570 15 72 -550 -190 172 -424 -385
198 -218 -536 96"""
LOTTERY = """162 671 933 414 788 730 817 33 536 875 670 236 473 167 877 980 316 950 456 92 517 557 956 954 104 178 794 278 147 773 437 435 502
610 582 780 689 562 964 791 28 97 848 281 858 538 660 972 671 613 867 448 738 966 139 636 847 659 754 243 122 455 195 968 793 59 730 361 574 522 97
762 431 158 429 414 22 629 788 999 187 215 810 782 47 34 108 986 25 644 829 630 315 567 919 331 207 412 242 607 668 944 749 168 864 442 533 805 372
63 458 777 416 340 436 140 919 350 510 572 905 900 85 389 473 758 444 169 625 692 140 897 672 288 312 860 724 226 884 508 976 741 476 417 831 15 318
432 241 114 799 955 833 358 935 146 630 830 440 642 356 373 271 715 367 393 190 669 8 861 108 795 269 590 326 866 64 523 862 840 219 382 998 4 628
305 747 247 34 747 729 645 856 974 24 568 24 694 608 480 410 729 947 293 53 930 223 203 677 227 62 455 387 318 562 242 428 968"""
# In units of 1e-4 above 2.
MAVRO = """18 17 18 19 18 17 15 14 15 15 17 18 18 19 19 21 20 16 14 13 13 15 15 16 15 14 13 14 15 14 15 16 15 16 19 20 20 21 22 23 24 25 27 26 26
26 27 26 25 24"""
# Michelson's speeds of light of 1879, in km/s above 299000; NIST has them in millions of metres a second.
MICHELSO = """850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960 960 940 960 940 880 800 850 880 900 840 830 790
810 880 880 830 800 790 760 800 880 880 880 860 720 720 620 860 970 950 880 910 850 870 840 840 850 840 840 840 890 810 810 820 800 770 760 740 750
760 910 920 890 860 880 720 840 850 850 780 890 840 780 810 760 810 790 810 820 850 870 870 810 740 810 940 950 800 810 870"""
SIRSTV = """196.3052 196.1240 196.1890 196.2569 196.3403 196.3042 196.3825 196.1669 196.3257 196.0422 196.1303 196.2005 196.2889 196.0343 196.1811
196.2795 196.1748 196.1494 196.1485 195.9885 196.2119 196.1051 196.1850 196.0052 196.2090"""
# Last four digits of the atomic weight of silver, 107.868....
ATMWTAG = """1568 1465 1572 1785 1446 1903 1526 1494 1616 1587 1519 1486 1419 1569 1508 1672 1385 1518 1662 1424 1360 1333 1610 1477
1079 1344 1513 1197 1604 1385 1642 1365 1151 1082 1517 1448 1198 1482 1334 1609 1101 1512 1469 1360 1254 1261 1450 1368"""

mp.mp.dps = 60
HERE = Path(__file__).resolve().parent


def case(title, tool, args, checks):
    return {"title": title, "tool": tool, "args": args, "checks": checks, "source": "NIST StRD, certified"}


def check(at, expected, tolerance):
    return {"at": at, "expected": expected, "tolerance": tolerance}


def moments(values):
    """The mean and the standard deviation of decimals, by rationals, to 30 digits."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
    root = mp.sqrt(mp.mpf(variance.numerator) / variance.denominator)
    return mp.mpf(mean.numerator) / mean.denominator, root


def univariate(name, texts, mean, deviation, correlation):
    """The moments, and the lag-1 autocorrelation by the tool for series."""
    found = [*moments(texts), neighbour_correlation(texts)]
    for value, certified in zip(found, (mean, deviation, correlation)):
        assert abs(value - mp.mpf(certified)) <= mp.mpf("1e-14") * abs(value), (name, value, certified)
    data = [float(text) if "." in text or "e" in text else int(text) for text in texts]
    checks = [check("/mean", float(mean), 2e-15), check("/std_sample", float(deviation), 1e-11 if name == "Michelso" else 1e-12)]
    series = {"data": data, "period": 1, "transform": "none", "model": "arima", "order": [0, 0, 1], "changes": "none", "forecast": 0, "hold_out": 0}
    # Sums of products of the digits of pi cancel to three digits less.
    tolerance = 1e-10 if name == "PiDigits" else 1e-11
    return [
        case(f"NIST {name}", "statistics", {"data": data}, checks),
        case(f"NIST {name}, neighbours", "time_series", series, [check("/correlations/0/series", float(correlation), tolerance)]),
    ]


def neighbour_correlation(texts):
    values = [Fraction(text) for text in texts]
    mean = sum(values) / len(values)
    products = sum((a - mean) * (b - mean) for a, b in zip(values, values[1:]))
    ratio = products / sum((value - mean) ** 2 for value in values)
    return mp.mpf(ratio.numerator) / ratio.denominator


def pi_digits():
    """PiDigits as NIST has them."""
    sys.set_int_max_str_digits(0)
    with mp.workdps(5030):
        digits = [int(digit) for digit in str(int(mp.floor(mp.pi * mp.mpf(10) ** 4999)))]
    at = next(at for at in range(1, 4999) if digits[at] == 8 and digits[at - 1] + digits[at + 1] == 7)
    digits[at] = 3
    assert len(digits) == 5000
    return [str(digit) for digit in digits]


def groups_case(name, groups, between, within):
    total = sum(Fraction(value) for group in groups for value in group)
    mean = total / sum(len(group) for group in groups)
    found_between = found_within = Fraction(0)
    for group in groups:
        own = sum(Fraction(value) for value in group) / len(group)
        found_between += len(group) * (own - mean) ** 2
        found_within += sum((Fraction(value) - own) ** 2 for value in group)
    for value, certified in ((found_between, between), (found_within, within)):
        assert abs(float(value) - float(certified)) <= 1e-14 * float(value), (name, float(value), certified)
    count = sum(len(group) for group in groups)
    f = (found_between / (len(groups) - 1)) / (found_within / (count - len(groups)))
    data = {
        "y": [float(value) for group in groups for value in group],
        "instrument": [f"i{at + 1}" for at, group in enumerate(groups) for _ in group],
    }
    # Doubles hold seven constant leading digits and nine others.
    tolerance = 1e-8 if name == "AtmWtAg" else 1e-11
    checks = [
        check("/terms/0/squares", float(between), tolerance),
        check("/terms/1/squares", float(within), tolerance),
        check("/terms/0/f", float(f), tolerance),
    ]
    return case(f"NIST {name}", "anova", {"data": data, "formula": "y ~ instrument"}, checks)


def main():
    silver = [f"107.868{text}" for text in ATMWTAG.split()]
    silicon = SIRSTV.split()
    cases = [
        *univariate("Lottery", LOTTERY.split(), "518.958715596330", "291.699727470969", "-0.120948622967393"),
        *univariate("Lew", LEW.split(), "-177.435000000000", "277.332168044316", "-0.307304800605679"),
        *univariate("Mavro", [f"2.00{text}" for text in MAVRO.split()], "2.00185600000000", "0.000429123454003053", "0.937989183438248"),
        *univariate("Michelso", [f"{299000 + int(text)}e-3" for text in MICHELSO.split()], "299.852400000000", "0.0790105478190518", "0.535199668621283"),
        *univariate("PiDigits", pi_digits(), "4.53480000000000", "2.86733906028871", "-0.00355099287237972"),
        groups_case("SiRstv", [silicon[at:at + 5] for at in range(0, 25, 5)], "5.11462616000000E-02", "2.16636560000000E-01"),
        groups_case("AtmWtAg", [silver[:24], silver[24:]], "3.63834187500000E-09", "1.04951729166667E-08"),
    ]
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "strd_moments.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
