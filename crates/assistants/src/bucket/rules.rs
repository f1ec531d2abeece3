//! The rules of the services for the parts of a bucket's settings. `object_store` checks none of them, and panics on
//! some.

use object_store::path::Path;
use url::Url;

use super::options::{BucketFault, BucketKind, BucketOptions, LONGEST_LINK};

/// The longest key of an object, in bytes, in all three services.
pub(super) const LONGEST_KEY: usize = 1024;

/// The longest address of a service, region and id of a key.
const LONGEST_ENDPOINT: usize = 2000;
const LONGEST_REGION: usize = 64;
const LONGEST_ID: usize = 128;

/// The faults in the options themselves.
pub(super) fn faults(options: &BucketOptions) -> Vec<BucketFault> {
    let named = |key_id: &str| !key_id.is_empty() && key_id.len() <= LONGEST_ID && key_id.bytes().all(is_of_key_id);
    let checks = [
        name(options),
        folder(&options.folder),
        options.endpoint.as_deref().and_then(|given| endpoint(given).err()),
        (!is_region(&options.region)).then(|| {
            BucketFault::new("bucket_region", "a region such as eu-central-1 is required: 1 to 64 of a-z, 0-9 and -")
        }),
        options.key_id.as_deref().filter(|id| !named(id)).map(|_| {
            BucketFault::new(
                "bucket_key_id",
                "an access key id is required: 1 to 128 letters and digits, without blanks",
            )
        }),
        (options.link_lifetime.is_zero() || options.link_lifetime > LONGEST_LINK)
            .then(|| BucketFault::new("bucket_link_seconds", "1 to 604800 (7 days) are possible")),
    ];
    checks.into_iter().flatten().collect()
}

/// The address of a service in the form in which it can be called.
pub(super) fn endpoint(given: &str) -> Result<Url, BucketFault> {
    let wrong = || {
        let form = "an address with http or https is required, such as https://minio.contoso.example:9000";
        BucketFault::new("bucket_endpoint", form)
    };
    // `Url` forgives blanks, line ends, missing slashes and letters outside ASCII; their author meant something else.
    let is_plain =
        given.len() <= LONGEST_ENDPOINT && given.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let parts = given.split_once("://").filter(|(_, rest)| !rest.starts_with('/'));
    let scheme = parts.map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !is_plain || !scheme.is_some_and(|scheme| ["http", "https"].contains(&scheme.as_str())) {
        return Err(wrong());
    }
    let url = Url::parse(given).map_err(|_| wrong())?;
    let has_more = !url.username().is_empty() || url.password().is_some() || url.query().or(url.fragment()).is_some();
    let is_path = url.path().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._~%".contains(&byte));
    if has_more || !is_path || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    Ok(url)
}

fn is_region(region: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_REGION).contains(&region.len()) && region.bytes().all(is_part)
}

/// An id stands in a header and in the query of a signed address, between signs of these.
fn is_of_key_id(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"/,;=&?#\"\\".contains(&byte)
}

fn folder(folder: &str) -> Option<BucketFault> {
    let wrong = |reason: String| Some(BucketFault::new("bucket", reason));
    if folder.len() > LONGEST_KEY {
        return wrong(format!("the folder has more than {LONGEST_KEY} bytes, and no key of an object is longer"));
    }
    if folder.chars().any(char::is_control) {
        return wrong("the folder has control characters".to_owned());
    }
    Path::parse(folder).err().and_then(|error| wrong(format!("the folder cannot be used: {error}")))
}

fn name(options: &BucketOptions) -> Option<BucketFault> {
    let name = options.name.as_str();
    let (is_name, rule) = match &options.kind {
        BucketKind::S3 => {
            let is_name = is_word(name, 3..=63, b".-") && !name.contains("..");
            (is_name, "a bucket of S3 has 3 to 63 of a-z, 0-9, . and -, and begins and ends with a letter or digit")
        }
        BucketKind::Google => {
            let is_name = is_word(name, 3..=222, b".-_") && name.split('.').all(|part| (1..=63).contains(&part.len()));
            (
                is_name,
                "a bucket of Google has 3 to 63 of a-z, 0-9, ., - and _, and begins and ends with a letter or digit",
            )
        }
        BucketKind::Azure { account } => {
            if !is_word(account, 3..=24, b"") {
                return Some(BucketFault::new("bucket", "a storage account of Azure has 3 to 24 of a-z and 0-9"));
            }
            let is_name = is_word(name, 3..=63, b"-") && !name.contains("--");
            (
                is_name || ["$root", "$web"].contains(&name),
                "a container of Azure has 3 to 63 of a-z, 0-9 and single -, and begins and ends with a letter or digit",
            )
        }
    };
    (!is_name).then(|| BucketFault::new("bucket", rule))
}

/// Lower-case letters, digits and such signs, with no sign at an end.
fn is_word(text: &str, lengths: std::ops::RangeInclusive<usize>, signs: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    lengths.contains(&bytes.len())
        && bytes.iter().all(|byte| is_letter(byte) || signs.contains(byte))
        && bytes.first().is_some_and(is_letter)
        && bytes.last().is_some_and(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(address: &str) -> BucketOptions {
        BucketOptions::parse(address).expect(address)
    }

    fn settings(faults: &[BucketFault]) -> Vec<&'static str> {
        faults.iter().map(|fault| fault.setting).collect()
    }

    #[test]
    fn buckets_of_each_service_have_its_names() {
        for good in [
            "s3://docs",
            "s3://docs.contoso.example/hr/%C3%BCber%20uns",
            "gs://docs_2",
            "gs://docs.contoso.example",
            "az://contoso/docs-2/hr",
            "az://contoso/$web",
        ] {
            assert_eq!(faults(&options(good)), [], "{good}");
        }
        let long = format!("s3://{}", "a".repeat(64));
        let deep = format!("s3://docs/{}", "a".repeat(1025));
        for bad in [
            "s3://ab",
            "s3://Docs",
            "s3://a%20b/x",
            "s3://a\"b/x",
            "s3://a..b",
            "s3://-ab",
            "s3://docs-",
            "s3://a_b",
            &long,
            &deep,
            "s3://docs/a%0Ab",
            "s3://docs/a//b",
            "s3://docs/a%2F..%2Fb",
            "gs://Docs",
            "gs://docs..x",
            "az://con-toso/docs",
            "az://contoso/a--b",
            "az://contoso/Docs",
            "az://contoso/a%20b",
            "az://c/docs",
        ] {
            assert_eq!(settings(&faults(&options(bad))), ["bucket"], "{bad}");
        }
    }

    #[test]
    fn an_endpoint_is_an_address_that_can_be_called() {
        for good in ["https://minio.example:9000", "http://127.0.0.1:10000/devstoreaccount1", "HTTPS://[::1]/x/"] {
            assert!(endpoint(good).is_ok(), "{good}");
        }
        let long = format!("https://a.example/{}", "x".repeat(3000));
        for bad in [
            "",
            "minio.example",
            "file:///etc/passwd",
            "unix:///run/minio.sock",
            "http:x",
            "http:///x",
            "http://",
            "mailto:a@b.example",
            "http://a.example\r\nX: y",
            "http://a.example/\t",
            "http://bücher.example",
            "http://a b.example",
            "http://user:pass@a.example",
            "http://a.example?x=1",
            "http://a.example#x",
            "http:\\\\a.example",
            &long,
        ] {
            assert_eq!(endpoint(bad).map_err(|fault| fault.setting), Err("bucket_endpoint"), "{bad}");
        }
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let mut options = options("s3://Docs");
        options.region = "eu central-1".to_owned();
        options.endpoint = Some("file:///x".to_owned());
        options.key_id = Some("AKIA\n".to_owned());
        options.link_lifetime = std::time::Duration::ZERO;
        let all = ["bucket", "bucket_endpoint", "bucket_region", "bucket_key_id", "bucket_link_seconds"];
        assert_eq!(settings(&faults(&options)), all);
        for region in ["", "a\nb", &"a".repeat(65), &"x".repeat(70_000), "EU", "eu_1", "ü"] {
            options.region = region.to_owned();
            assert!(settings(&faults(&options)).contains(&"bucket_region"), "{region}");
        }
    }
}
