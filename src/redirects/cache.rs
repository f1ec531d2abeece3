//! What is known of redirects, for a day.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

use crate::url::WebUrl;

/// Where redirects lead, the oldest forgotten first.
#[derive(Debug)]
pub(super) struct Cache {
    pages: BTreeMap<String, (WebUrl, DateTime<Utc>)>,
    /// The redirects in the order in which they came.
    order: VecDeque<String>,
    max_entries: usize,
    max_age: TimeDelta,
}

impl Cache {
    pub(super) fn new(max_entries: usize, max_age: TimeDelta) -> Self {
        Self { pages: BTreeMap::new(), order: VecDeque::new(), max_entries, max_age }
    }

    /// The page that a redirect leads to, when that was found out lately.
    pub(super) fn get(&mut self, redirect: &WebUrl, now: DateTime<Utc>) -> Option<WebUrl> {
        self.forget_old(now);
        self.pages.get(redirect.as_str()).map(|(page, _)| page.clone())
    }

    pub(super) fn insert(&mut self, redirect: &WebUrl, page: WebUrl, now: DateTime<Utc>) {
        // What two requests found out at the same time counts from the first.
        if self.max_entries == 0 || self.pages.contains_key(redirect.as_str()) {
            return;
        }
        while self.order.len() >= self.max_entries {
            self.forget_first();
        }
        self.order.push_back(redirect.as_str().to_owned());
        self.pages.insert(redirect.as_str().to_owned(), (page, now));
    }

    fn forget_old(&mut self, now: DateTime<Utc>) {
        let max_age = self.max_age;
        let is_old = |(_, since): &(WebUrl, DateTime<Utc>)| now - *since >= max_age;
        while self.order.front().and_then(|first| self.pages.get(first)).is_some_and(is_old) {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        if let Some(first) = self.order.pop_front() {
            self.pages.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> WebUrl {
        text.parse().expect("an address")
    }

    #[test]
    fn a_redirect_is_known_for_a_day_and_the_oldest_goes_first() {
        let mut cache = Cache::new(2, TimeDelta::hours(24));
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        let [a, b, c] = ["https://t.co/a", "https://t.co/b", "https://t.co/c"].map(url);
        cache.insert(&a, url("https://x.example/a"), start);
        cache.insert(&b, url("https://x.example/b"), start + TimeDelta::hours(1));
        assert_eq!(cache.get(&a, start + TimeDelta::hours(23)), Some(url("https://x.example/a")));
        assert_eq!(cache.get(&a, start + TimeDelta::hours(24)), None);
        cache.insert(&a, url("https://x.example/a2"), start + TimeDelta::hours(24));
        cache.insert(&c, url("https://x.example/c"), start + TimeDelta::hours(24));
        assert_eq!(cache.get(&b, start + TimeDelta::hours(24)), None);
        assert_eq!(cache.get(&a, start + TimeDelta::hours(24)), Some(url("https://x.example/a2")));
        assert_eq!((cache.pages.len(), cache.order.len()), (2, 2));
    }
}
