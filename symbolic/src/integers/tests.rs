//! Integers against values of SymPy 1.14 and against their definitions.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

use super::*;

const WORK: u64 = 2_000_000_000;

fn big(text: &str) -> BigUint {
    read_integer(text, 4096).unwrap().to_biguint().unwrap()
}

fn never() -> bool {
    false
}

fn factors(text: &str) -> Factorisation {
    let mut work = WorkBudget::new(WORK, &never);
    factorise(&big(text), &mut work).unwrap()
}

fn written(found: &Factorisation) -> String {
    let primes = found.factors.iter();
    let texts: Vec<String> = primes
        .map(|factor| format!("{}^{}", factor.prime, factor.exponent))
        .collect();
    texts.join(" ")
}

#[test]
fn factorisations_are_those_of_sympy() {
    // sympy.factorint
    for (number, expected) in [
        ("1", ""),
        ("2", "2^1"),
        ("720", "2^4 3^2 5^1"),
        ("4294967297", "641^1 6700417^1"),
        ("4295098369", "65537^2"),
        ("1000000016000000063", "1000000007^1 1000000009^1"),
        ("2^67-1", "193707721^1 761838257287^1"),
        ("2^64+1", "274177^1 67280421310721^1"),
        ("18446744073709551557", "18446744073709551557^1"),
        ("1000003^5", "1000003^5"),
        ("2^101-1", "7432339208719^1 341117531003194129^1"),
        ("30!", "2^26 3^14 5^7 7^4 11^2 13^2 17^1 19^1 23^1 29^1"),
        ("1000000000000000000000007", "1000000000000000000000007^1"),
    ] {
        let found = factors(number);
        assert!(found.is_complete(), "{number}");
        assert_eq!(written(&found), expected, "{number}");
        assert_eq!(found.product(), big(number));
    }
}

#[test]
fn every_product_is_the_number_again() {
    // Numbers of a fixed congruential sequence, of up to 96 bits.
    let mut state = BigUint::from(1_u8);
    let step = big("6364136223846793005");
    for round in 0..60 {
        state = (&state * &step + 1_442_695_040_888_963_407_u64) % (BigUint::from(1_u8) << 96);
        let number = &state >> (round % 60);
        let mut work = WorkBudget::new(WORK, &never);
        let found = factorise(&number, &mut work).unwrap();
        assert!(found.is_complete(), "{number}");
        assert_eq!(found.product(), number);
        for factor in &found.factors {
            let mut work = WorkBudget::new(WORK, &never);
            assert!(
                test_primality(&factor.prime, false, &mut work)
                    .unwrap()
                    .is_prime
            );
        }
    }
}

#[test]
fn a_small_budget_leaves_a_cofactor_that_is_said() {
    let mut work = WorkBudget::new(100_000, &never);
    // The product of two primes of 25 digits (sympy.nextprime of 10^24 and of 3*10^24).
    let number = big("12 * (10^24 + 7) * (3*10^24 + 7)");
    let found = factorise(&number, &mut work).unwrap();
    assert_eq!(found.product(), number);
    assert_eq!(written(&found), "2^2 3^1");
    assert_eq!(found.cofactors.len(), 1);
    let stop = || true;
    let mut stopped = WorkBudget::new(WORK, &stop);
    assert_eq!(
        factorise(&big("2^101-1"), &mut stopped),
        Err(WorkEnd::Stopped)
    );
}

#[test]
fn elliptic_curves_and_p_minus_one_find_what_rho_would_not() {
    // 2^128 + 1: its lesser factor has 17 digits; the budget is larger than what curves of the second level need.
    let found = factors("2^128+1");
    assert_eq!(
        written(&found),
        "59649589127497217^1 5704689200685129054721^1"
    );
    assert!(
        found
            .methods
            .iter()
            .any(|method| *method >= FactoringMethod::PMinusOne)
    );
}

#[test]
fn primality_is_decided_and_proven() {
    let verdict = |text: &str| {
        let mut work = WorkBudget::new(WORK, &never);
        test_primality(&big(text), true, &mut work).unwrap()
    };
    for prime in [
        "2",
        "3",
        "65537",
        "4294967291",
        "4294967311",
        "2^61-1",
        "2^89-1",
        "2^107-1",
        "2^127-1",
        "2^521-1",
        "10^50+151",
        "10^24+7",
    ] {
        let found = verdict(prime);
        assert!(found.is_prime && found.is_proven, "{prime}: {found:?}");
        if let PrimalityBasis::Certificate(certificates) = &found.basis {
            assert!(certificates.iter().all(PrimeCertificate::holds), "{prime}");
        }
    }
    // Carmichael numbers; strong pseudoprimes to the bases 2, 3, 5, 7 and to the first 12 primes (Jaeschke; Sorenson and Webster);
    // the strong Lucas pseudoprimes 5459 and 5777 (OEIS A217255).
    for composite in [
        "0",
        "1",
        "561",
        "341",
        "3215031751",
        "318665857834031151167461",
        "5459",
        "5777",
        "3317044064679887385961981",
        "(2^61-1)*(2^89-1)",
        "(2^89-1)^2",
        "2^257-1",
    ] {
        let found = verdict(composite);
        assert!(!found.is_prime && found.is_proven, "{composite}: {found:?}");
    }
}

#[test]
fn a_certificate_that_was_changed_does_not_hold() {
    let mut work = WorkBudget::new(WORK, &never);
    let found = test_primality(&big("10^50+151"), true, &mut work).unwrap();
    let PrimalityBasis::Certificate(certificates) = found.basis else {
        panic!("no certificate");
    };
    let mut changed = certificates[0].clone();
    changed.n += 2_u8;
    assert!(!changed.holds());
    let mut changed = certificates[0].clone();
    changed.witnesses.truncate(1);
    assert!(!changed.holds());
}

#[test]
fn neighbouring_primes_are_those_of_sympy() {
    let mut work = WorkBudget::new(WORK, &never);
    for (number, next, previous) in [
        ("0", "2", None),
        ("3", "5", Some("2")),
        ("14", "17", Some("13")),
        ("1000000", "1000003", Some("999983")),
        ("2^64", "18446744073709551629", Some("18446744073709551557")),
        (
            "10^30",
            "1000000000000000000000000000057",
            Some("999999999999999999999999999989"),
        ),
    ] {
        assert_eq!(next_prime(&big(number), &mut work), Ok(big(next)));
        assert_eq!(
            previous_prime(&big(number), &mut work),
            Ok(previous.map(big))
        );
    }
    assert_eq!(primes_between(90, 110), [97, 101, 103, 107, 109]);
    assert_eq!(primes_between(0, 1_000_000).len(), 78_498);
}

#[test]
fn modular_answers_hold_by_their_definitions() {
    let bezout = extended_gcd(&BigInt::from(-240), &BigInt::from(46));
    assert_eq!(bezout.gcd, BigInt::from(2));
    assert_eq!(bezout.gcd, &bezout.x * -240 + &bezout.y * 46);
    assert_eq!(invert_modulo(&big("3"), &big("11")), Some(big("4")));
    assert_eq!(invert_modulo(&big("6"), &big("9")), None);
    // x = 2 mod 3, 3 mod 5, 2 mod 7 (Sunzi); moduli with a divisor; a contradiction.
    let pairs = |list: &[(i32, u32)]| -> Vec<(BigInt, BigUint)> {
        list.iter().map(|&(r, m)| (r.into(), m.into())).collect()
    };
    let sunzi = combine_congruences(&pairs(&[(2, 3), (3, 5), (2, 7)])).unwrap();
    assert_eq!((sunzi.residue, sunzi.modulus), (big("23"), big("105")));
    let shared = combine_congruences(&pairs(&[(-1, 6), (1, 4)])).unwrap();
    assert_eq!((shared.residue, shared.modulus), (big("5"), big("12")));
    assert_eq!(combine_congruences(&pairs(&[(1, 6), (0, 4)])), Err(1));
    // Euler's criterion.
    for a in -20_i32..20 {
        let expected = match BigInt::from(a).modpow(&51.into(), &103.into()) {
            one if one == 1.into() => 1,
            zero if zero == 0.into() => 0,
            _ => -1,
        };
        assert_eq!(jacobi_symbol(&a.into(), &big("103")), expected, "{a}");
    }
    assert_eq!(jacobi_symbol(&BigInt::from(1001), &big("9907")), -1);
    for prime in [3_u32, 17, 41, 97, 65_537] {
        for root in 1_u32..3 {
            let square = BigUint::from(root * root % prime);
            let found = modular_square_root(&square, &prime.into()).unwrap();
            assert_eq!(&found * &found % prime, square);
        }
    }
}

#[test]
fn orders_roots_and_logarithms_hold() {
    let mut work = WorkBudget::new(WORK, &never);
    for (modulus, expected) in [
        ("1", Some("0")),
        ("2", Some("1")),
        ("4", Some("3")),
        ("7", Some("3")),
        ("18", Some("5")),
        ("41", Some("6")),
        ("12", None),
        ("8", None),
        ("10^9+7", Some("5")),
    ] {
        let n = big(modulus);
        let known = factorise(&n, &mut work).unwrap().factors;
        let totient = euler_totient(&known);
        let primes = factorise(&totient, &mut work).unwrap().factors;
        let root = primitive_root(&n, &known, &primes, &mut work).unwrap();
        assert_eq!(root, expected.map(big), "{modulus}");
    }
    let modulus = big("10^9+7");
    let totient = &modulus - 1_u8;
    let primes = factorise(&totient, &mut work).unwrap().factors;
    let order = multiplicative_order(&big("2"), &modulus, &totient, &primes).unwrap();
    assert_eq!(order, big("500000003")); // sympy.n_order
    let base = big("5");
    let value = base.modpow(&big("123456789"), &modulus);
    let found = discrete_logarithm(&base, &value, &modulus, &totient, &primes, &mut work);
    assert_eq!(found, Ok(Some(big("123456789"))));
    let none = discrete_logarithm(&big("2"), &base, &modulus, &order, &primes, &mut work);
    assert_eq!(none, Ok(None));
}

#[test]
fn functions_of_factors_are_those_of_their_definitions() {
    for n in 1_u32..300 {
        let known = factors(&n.to_string()).factors;
        let divisors: Vec<u32> = (1..=n).filter(|d| n % d == 0).collect();
        let listed = list_divisors(&known);
        assert!(
            listed.iter().eq(divisors
                .iter()
                .map(|d| BigUint::from(*d))
                .collect::<Vec<_>>()
                .iter())
        );
        assert_eq!(divisor_count(&known), divisors.len().into());
        assert_eq!(divisor_sum(&known, 1), divisors.iter().sum::<u32>().into());
        let gcd = |a: u32, b: u32| greatest_common_divisor(&a.into(), &b.into());
        let coprime: Vec<u32> = (1..=n).filter(|k| gcd(*k, n) == 1_u8.into()).collect();
        assert_eq!(euler_totient(&known), coprime.len().into(), "{n}");
        let lambda = carmichael_lambda(&known);
        let holds = |k: &BigUint| {
            coprime
                .iter()
                .all(|a| BigUint::from(*a).modpow(k, &n.into()) == BigUint::from(1_u8) % n)
        };
        assert!(holds(&lambda), "{n}");
        assert!(
            listed.is_empty()
                || (1_u32..)
                    .take_while(|k| lambda > (*k).into())
                    .all(|k| !holds(&k.into()))
        );
    }
    // sum of moebius over divisors is 0 above 1
    assert_eq!(
        [1, 2, 4, 6, 30].map(|n: u32| moebius(&factors(&n.to_string()).factors)),
        [1, -1, 0, 1, -1]
    );
}

#[test]
fn continued_fractions_are_those_of_textbooks() {
    let terms = |numerator: i64, denominator: i64| {
        let number = BigRational::new(numerator.into(), denominator.into());
        let found = expand_rational(&number, 100);
        let last = list_convergents(&found, 100).pop().unwrap();
        assert_eq!(BigRational::new(last.numerator, last.denominator), number);
        found
            .terms
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(terms(415, 93), "4 2 6 7");
    assert_eq!(terms(-7, 3), "-3 1 2");
    assert_eq!(terms(5, 1), "5");
    let mut work = WorkBudget::new(WORK, &never);
    let root = expand_square_root(&big("14"), 100, &mut work).unwrap();
    assert_eq!(root.period, [1, 2, 1, 6].map(BigInt::from));
    let convergents = list_convergents(&root, 4);
    assert_eq!(convergents[3].numerator, 15.into());
}

#[test]
fn pell_and_linear_equations_are_solved() {
    let mut work = WorkBudget::new(WORK, &never);
    // The least solution for 61 is Fermat's challenge.
    let pell = solve_pell(&big("61"), 2, &mut work).unwrap();
    assert_eq!(pell.solutions[0].0, 1_766_319_049_i64.into());
    assert_eq!(pell.solutions[0].1, 226_153_980_i64.into());
    for d in (2_u32..200).filter(|d| d.isqrt().pow(2) != *d) {
        for (x, y) in solve_pell(&d.into(), 3, &mut work).unwrap().solutions {
            assert_eq!(&x * &x - &y * &y * d, 1.into());
        }
        let negative = solve_negative_pell(&d.into(), 3, &mut work).unwrap();
        for (x, y) in &negative.solutions {
            assert_eq!(x * x - y * y * d, (-1).into());
        }
        let least = (1_u64..2000).any(|y| {
            let square = u64::from(d) * y * y - 1;
            square.isqrt().pow(2) == square
        });
        assert!(!least || !negative.solutions.is_empty(), "{d}");
    }
    let line =
        solve_linear_diophantine(&BigInt::from(12), &BigInt::from(-21), &BigInt::from(15)).unwrap();
    for t in -3..4 {
        let (x, y) = (&line.x + &line.dx * t, &line.y + &line.dy * t);
        assert_eq!(x * 12 - y * 21, 15.into());
    }
    assert_eq!(line.dx, 7.into());
    assert!(
        solve_linear_diophantine(&BigInt::from(4), &BigInt::from(6), &BigInt::from(5)).is_none()
    );
    let alone =
        solve_linear_diophantine(&BigInt::from(0), &BigInt::from(5), &BigInt::from(-10)).unwrap();
    assert_eq!(
        (alone.y, alone.dx, alone.dy),
        ((-2).into(), 1.into(), 0.into())
    );
}

#[test]
fn squares_add_up() {
    let mut work = WorkBudget::new(WORK, &never);
    for n in 1_u32..400 {
        let known = factors(&n.to_string()).factors;
        let expected = (0..=n.isqrt()).any(|a| {
            let rest = n - a * a;
            rest.isqrt().pow(2) == rest
        });
        match sum_of_two_squares(&known) {
            Some((a, b)) => assert_eq!(&a * &a + &b * &b, n.into()),
            None => assert!(!expected, "{n}"),
        }
    }
    for text in ["0", "7", "15", "28", "2^64-1", "10^40+123", "4^30*7"] {
        let parts = sum_of_four_squares(&big(text), &mut work).unwrap();
        assert_eq!(
            parts.iter().map(|part| part * part).sum::<BigUint>(),
            big(text),
            "{text}"
        );
    }
}

#[test]
fn powers_roots_and_digits() {
    let power = find_perfect_power(&big("6^30")).unwrap();
    assert_eq!((power.base, power.exponent), (big("6"), 30));
    assert_eq!(find_perfect_power(&big("10^30+1")), None);
    assert_eq!(
        integer_root(&BigInt::from(-28), 3),
        Some((BigInt::from(-3), false))
    );
    assert_eq!(integer_root(&BigInt::from(-28), 2), None);
    for base in ["2", "10", "256", "1000", "2^70"] {
        let (n, base) = (big("30!"), big(base));
        let digits = digits_in_base(&n, &base);
        let value = digits
            .iter()
            .fold(BigUint::default(), |sum, digit| sum * &base + digit);
        assert_eq!(value, n);
    }
}

#[test]
fn integers_are_read_as_they_are_written() {
    for (text, expected) in [
        ("12", "12"),
        (" -12 ", "-12"),
        ("1_000", "1000"),
        ("1,000,000", "1000000"),
        ("12 345", "12345"),
        ("2^3^2", "512"),
        ("-2**2", "-4"),
        ("(2+3)*4 - 6/3", "18"),
        ("5!", "120"),
        ("2*-3", "-6"),
        ("(-1)^3", "-1"),
        ("0^0", "1"),
        ("\u{2212}5", "-5"),
    ] {
        assert_eq!(
            read_integer(text, 512).map(|n| n.to_string()),
            Ok(expected.to_owned()),
            "{text}"
        );
    }
    for text in [
        "", "x", "1.5", "7/2", "1/0", "2^-1", "10^1000", "9^9^9^9", "1000!", "1 23", "(1", "1)",
        "5 5",
    ] {
        assert!(read_integer(text, 512).is_err(), "{text}");
    }
    assert_eq!(
        read_integer(&"(".repeat(99), 512),
        Err(IntegerReadError::TooDeep)
    );
    assert_eq!(
        read_integer(&"-".repeat(99), 512),
        Err(IntegerReadError::TooDeep)
    );
}
