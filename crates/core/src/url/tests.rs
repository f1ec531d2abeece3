use std::num::NonZeroU32;

use url::Url;

use super::serialized::read_serialized;
use super::web_url::remove_user;
use super::{InvalidWebUrl, Tracking, WebUrl, without_directives, without_user};

fn markdown(text: &str) -> String {
    text.parse::<WebUrl>().expect("a web address").markdown()
}

#[test]
fn an_address_is_written_with_characters_that_every_engine_leaves_alone() {
    for (given, written) in [
        ("https://contoso.com/a", "https://contoso.com/a"),
        ("https://contoso.com/a b", "https://contoso.com/a%20b"),
        ("https://contoso.com/f(1).pdf", "https://contoso.com/f%281%29.pdf"),
        ("https://contoso.com/Überblick", "https://contoso.com/%C3%9Cberblick"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://contoso.com/a|b[c]{d}^`\"", "https://contoso.com/a%7Cb%5Bc%5D%7Bd%7D%5E%60%22"),
        ("https://contoso.com/100%", "https://contoso.com/100%25"),
        ("https://contoso.com/?a=1&copy;=2;b", "https://contoso.com/?a=1&copy%3B=2;b"),
        ("https://contoso.com/?a=1&copy=2", "https://contoso.com/?a=1&copy=2"),
        ("https://contoso.com/?a&#35;", "https://contoso.com/?a&#35%3B"),
        ("HTTPS://CONTOSO.com", "https://contoso.com/"),
        ("http://[::1]:80/[x]", "http://[::1]/%5Bx%5D"),
    ] {
        assert_eq!(markdown(given), written, "{given}");
    }
}

#[test]
fn only_absolute_http_and_https_are_web_addresses() {
    assert_eq!("report.pdf".parse::<WebUrl>(), Err(InvalidWebUrl::NotAbsolute));
    assert_eq!("/docs/report.pdf".parse::<WebUrl>(), Err(InvalidWebUrl::NotAbsolute));
    assert_eq!(" java\nscript:alert(1)".parse::<WebUrl>(), Err(InvalidWebUrl::Scheme { scheme: "javascript".into() }));
    assert_eq!("gs://bucket/a".parse::<WebUrl>(), Err(InvalidWebUrl::Scheme { scheme: "gs".into() }));
}

/// Pieces of hosts, paths and queries, with the characters that the parsing rules treat specially.
const PIECES: [&str; 32] = [
    "a", "b", "com", "www", "xn--", "xn", "-", "--", ".", "..", "1", "0x1", "127", "/", "//", "?", "#", "%", "%2e",
    "%2E", "%41", ":", ":80", "@", "&", ";", "'", "(", "\\", " ", "A", "é",
];

proptest::proptest! {
    #[test]
    fn an_address_that_is_not_parsed_is_what_parsing_would_make_of_it(
        scheme in proptest::sample::select(&["http://", "https://", "HTTP://", "ftp://"][..]),
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
    ) {
        let text = format!("{scheme}{}", pieces.concat());
        let Some((host, _)) = read_serialized(&text) else { return Ok(()) };
        let url = Url::parse(&text).expect("an address");
        proptest::prop_assert_eq!(url.as_str(), &text);
        proptest::prop_assert_eq!(url.host_str(), Some(&text[host]));
    }

    #[test]
    fn the_parts_of_an_address_are_those_that_parsing_finds(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
    ) {
        let text = format!("https://a{}", pieces.concat());
        let (Ok(ours), Ok(mut url)) = (text.parse::<WebUrl>(), Url::parse(&text)) else { return Ok(()) };
        remove_user(&mut url);
        proptest::prop_assert_eq!(ours.as_str(), url.as_str());
        proptest::prop_assert_eq!(Url::parse(ours.as_str()), Ok(url.clone()));
        let looked_at = WebUrl { ordinary: false, ..ours.clone() };
        proptest::prop_assert_eq!(&*ours.shared_markdown(), looked_at.markdown());
        let host = url.host_str().unwrap_or_default();
        proptest::prop_assert_eq!(ours.host(), host.strip_prefix("www.").unwrap_or(host));
        proptest::prop_assert_eq!(ours.fragment(), url.fragment());
        let name = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|name| !name.is_empty());
        proptest::prop_assert_eq!(ours.last_part(), name);
        let mut document = url.clone();
        document.set_fragment(None);
        document.set_query(url.query().filter(|query| !query.is_empty()));
        proptest::prop_assert_eq!(ours.merge_key(), document.as_str());
        let (mut paged, third) = (url, ours.with_page(NonZeroU32::MIN.saturating_add(2)));
        paged.set_fragment(Some("page=3"));
        proptest::prop_assert_eq!(third.as_str(), paged.as_str());
    }
}

#[test]
fn addresses_of_one_document_share_a_key() {
    let key = |text: &str| text.parse::<WebUrl>().expect("a web address").merge_key().into_owned();
    assert_eq!(key("https://Contoso.com"), key("https://contoso.com/?utm_source=openai#top"));
    assert_eq!(key("https://contoso.com/a?x=1&gclid=2&y=3"), key("https://contoso.com/a?x=1&y=3"));
    assert_ne!(key("https://contoso.com/a?ref=1"), key("https://contoso.com/a"));
    let url: WebUrl = "https://contoso.com/a?Ref=1&x=2&source=y&utm_id=3".parse().expect("a web address");
    assert_eq!(url.merge_key_under(Tracking::RefToo), "https://contoso.com/a?x=2");
    assert_ne!(key("https://contoso.com/a?x=1&y=3"), key("https://contoso.com/a?y=3&x=1"));
}

#[test]
fn the_address_of_a_service_is_known_by_its_host_or_path() {
    let is_service = |text: &str| text.parse::<WebUrl>().expect("a web address").is_service();
    for service in [
        "https://s.search.windows.net/",
        "https://s.search.windows.net:443/indexes/i/docs/k?api-version=1",
        "https://s.search.azure.us/knowledgebases/kb/mcp",
        "https://gateway.example/kb/knowledgebases/hr/mcp?api-version=1",
        "https://gateway.example/knowledgebases('hr')/retrieve",
    ] {
        assert!(is_service(service), "{service}");
    }
    for page in ["https://search.windows.net.example/", "https://x.example/mcp", "https://x.example/knowledgebases/hr"]
    {
        assert!(!is_service(page), "{page}");
    }
}

#[test]
fn directives_follow_the_place_that_an_address_names() {
    let with = |address: &str, directives: &[&str]| {
        let url: WebUrl = address.parse().expect("a web address");
        url.with_directives(directives.iter().copied()).as_str().to_owned()
    };
    assert_eq!(with("https://x/a?b=1", &["A%20b"]), "https://x/a?b=1#:~:text=A%20b");
    assert_eq!(with("https://x/a#id", &["A", "b,c", "d", "e"]), "https://x/a#id:~:text=A&text=b,c&text=d");
    for stays in ["https://x/a#/route", "https://x/a#!route", "https://x/a#:~:text=own", "https://x/a#id:~:text=own"] {
        assert_eq!(with(stays, &["A"]), stays);
    }
    assert_eq!(with("https://x/a", &[]), "https://x/a");
    let long = "x".repeat(600);
    assert_eq!(with("https://x/a", &[&long, &long, "y"]), format!("https://x/a#:~:text={long}"));
    for (bytes, fits) in [(992, true), (993, false)] {
        assert_eq!(with("https://x/a", &[&"x".repeat(bytes)]).contains("text"), fits);
    }
    let url: WebUrl = "https://x/a?sig=s#id:~:text=secret".parse().expect("a web address");
    assert_eq!(url.to_string(), "https://x/a?sig=****#id");
    assert_eq!(without_directives("https://x/a#:~:text=b"), "https://x/a");
    assert_eq!(without_directives("https://x/a:~:b#c"), "https://x/a:~:b#c");
}

#[test]
fn secrets_in_an_address_are_never_shown() {
    let url: WebUrl = "https://contoso.com/a?se=1&sig=abc".parse().expect("a web address");
    assert_eq!(format!("{url:?}"), "WebUrl(https://contoso.com/a?se=1&sig=****)");
}

#[test]
fn an_address_names_no_user() {
    for (given, expected) in [
        ("https://user:password@hr.example/a", Some("https://hr.example/a")),
        ("https://bank.example@evil.example", Some("https://evil.example/")),
        ("https://:password@x.example/", Some("https://x.example/")),
        ("https://a@b@x.example:8443/?c=d@e", Some("https://x.example:8443/?c=d@e")),
        ("https://x.example/@user", None),
        ("mailto:a@x.example", None),
        ("a@x.example", None),
    ] {
        assert_eq!(without_user(given).as_deref(), expected);
        if let (Ok(url), Some(expected)) = (given.parse::<WebUrl>(), expected) {
            assert_eq!((url.as_str(), url.markdown().as_str()), (expected, expected));
        }
    }
    assert_eq!(without_user("s3://user:password@bucket/a").as_deref(), Some("s3://bucket/a"));
}
