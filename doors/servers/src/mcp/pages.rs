//! Pages of lists, so that a line stays below what clients read at once.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;
use serde::Serialize;

/// Items of a page.
const ITEMS_MAX: usize = 100;
/// Bytes of a page.
const BYTES_MAX: usize = 56 << 10;

/// One page of a list, and the cursor of the next one.
///
/// # Errors
/// `-32602` for a cursor that no page gave.
pub(super) fn paginate_list<T: Clone + Serialize>(
    all: &[T],
    request: Option<&PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor.as_deref());
    let first = match cursor {
        None => 0,
        Some(cursor) => {
            let place = cursor.parse().ok().filter(|place| *place < all.len());
            place.ok_or_else(|| {
                ErrorData::invalid_params(
                    format!("no page has the cursor `{cursor}`; start without one"),
                    None,
                )
            })?
        }
    };
    let mut bytes = 0;
    let fits = |item: &&T| {
        bytes += serde_json::to_vec(item).map_or(0, |text| text.len());
        bytes <= BYTES_MAX
    };
    let items = all[first..]
        .iter()
        .take(ITEMS_MAX)
        .take_while(fits)
        .count()
        .max(1);
    let last = (first + items).min(all.len());
    let next = (last < all.len()).then(|| last.to_string());
    Ok((all[first..last].to_vec(), next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_a_list_once() {
        let all: Vec<String> = (0..250).map(|number| "x".repeat(number * 10)).collect();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            let (items, next) = paginate_list(&all, Some(&request)).unwrap();
            assert!(items.len() <= ITEMS_MAX && !items.is_empty());
            assert!(items.len() == 1 || items.iter().map(String::len).sum::<usize>() <= BYTES_MAX);
            seen.extend(items);
            match next {
                None => break,
                next => cursor = next,
            }
        }
        assert_eq!(seen, all);
        for cursor in ["x", "-1", "250", "9999999999999999999999"] {
            let request = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()));
            assert!(paginate_list(&all, Some(&request)).is_err(), "{cursor}");
        }
        assert!(paginate_list::<String>(&[], None).unwrap().0.is_empty());
    }
}
