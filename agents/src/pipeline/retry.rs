//! Waits before repetitions; their jitter derives from the seed of the pipeline, so that it is the same in every replay.

use registry::model::RetryPolicy;

/// The wait before repetition `number` (from 1) of an agent, in milliseconds; `None` where it is not repeated any more.
pub(super) fn wait_ms(
    policy: &RetryPolicy,
    number: u32,
    reset_s: Option<u64>,
    key: [&str; 3],
) -> Option<u64> {
    if number == 0 || number > policy.max_retries {
        return None;
    }
    let usual = policy.waits_s.get(number as usize - 1);
    let usual = usual.or(policy.waits_s.last()).copied().unwrap_or(0);
    let wait_ms = reset_s.unwrap_or(usual).saturating_mul(1000);
    let jitter_ms = match policy.jitter_s {
        0 => 0,
        most => mix_hash(key, number) % (most.saturating_mul(1000) + 1),
    };
    let longest_ms = policy.longest_s.saturating_mul(1000);
    Some(wait_ms.saturating_add(jitter_ms).min(longest_ms))
}

/// A number that depends on every byte of the texts: FNV-1a with a finaliser.
fn mix_hash(key: [&str; 3], number: u32) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let texts = key.iter().flat_map(|text| text.bytes().chain([0xff]));
    let bytes = texts.chain(number.to_le_bytes());
    let hash = bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
