//! [`AddressCounts`]: how many requests an address may have on their way where callers need no key.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use std::sync::Arc;
use tool_core::{Result, tool_error};

/// Requests of one address at a time, streams included: half of the connections.
const AT_ONCE_MAX: usize = 256;

/// Requests on their way, by address.
#[derive(Default)]
pub(super) struct AddressCounts(Mutex<HashMap<IpAddr, usize>>);

/// A request on its way while this lives.
pub(super) struct OfAddress {
    addresses: Arc<AddressCounts>,
    address: IpAddr,
}

impl AddressCounts {
    /// Counts a request.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `requests_at_once`.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Result<OfAddress> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.entry(address).or_default();
        if *count >= AT_ONCE_MAX {
            return Err(
                tool_error!(LimitExceeded, "requests_at_once"; "{address} has {AT_ONCE_MAX} requests on their way, the most allowed without a key";
                "wait for answers, or create keys: `mathchain keys create NAME --role ROLE`"),
            );
        }
        *count += 1;
        Ok(OfAddress {
            addresses: Arc::clone(self),
            address,
        })
    }
}

impl Drop for OfAddress {
    fn drop(&mut self) {
        let known = self.addresses.0.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = known.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                known.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn an_address_has_a_share_of_the_requests_and_others_have_theirs() {
        let addresses = Arc::new(AddressCounts::default());
        let address = |last| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last));
        let take = |last| addresses.take(address(last));
        let mut taken: Vec<_> = (0..AT_ONCE_MAX).filter_map(|_| take(1).ok()).collect();
        assert_eq!(taken.len(), AT_ONCE_MAX);
        let refused = take(1)
            .err()
            .and_then(|error| error.reason_str().map(str::to_owned));
        assert_eq!(refused.as_deref(), Some("requests_at_once"));
        assert!(take(2).is_ok());
        taken.pop();
        assert!(take(1).is_ok());
        drop(taken);
        assert!(addresses.0.lock().unwrap().is_empty());
    }
}
