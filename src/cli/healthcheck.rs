//! `citewire healthcheck`.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use url::Url;

use super::Outcome;
use super::args::HealthcheckArgs;
use super::causes::with_causes;
use super::input::print;
use crate::config::{ConfigSources, bind_address};

/// The longest wait for an answer of the server.
const WITHIN: Duration = Duration::from_secs(3);

/// Asks the server whether it takes work, and says the answer in one line.
pub(super) fn run(args: &HealthcheckArgs) -> anyhow::Result<Outcome> {
    let url = match &args.url {
        Some(url) => url.clone(),
        None => on_this_machine(bind_address(&ConfigSources::of_this_process(args.config.clone()))?, "/readyz")?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match runtime.block_on(ask(url.clone())) {
        Ok(()) => {
            print(format!("citewire is ready: {url}\n").as_bytes())?;
            Ok(Outcome::Done)
        }
        Err(error) => {
            writeln!(io::stderr(), "citewire is not ready: {url}: {}", with_causes(&error)).ok();
            Ok(Outcome::Found)
        }
    }
}

/// The address of a path of a server that listens here. A server on every address of the machine is called on loopback.
pub(super) fn on_this_machine(bind: SocketAddr, path: &str) -> anyhow::Result<Url> {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    anyhow::ensure!(bind.port() != 0, "the configured port is 0 (any free port): name the server with --url");
    Url::parse(&format!("http://{}{path}", SocketAddr::new(ip, bind.port()))).context("--url")
}

/// Succeeds when the server answers with 200 in time. The operator names the address, so it may be one of this machine; a
/// proxy of the environment is not asked, and redirects are not followed.
async fn ask(url: Url) -> anyhow::Result<()> {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(WITHIN);
    let answer = client.build()?.get(url).send().await.map_err(reqwest::Error::without_url);
    let status = answer.map_err(innermost)?.status();
    anyhow::ensure!(status == reqwest::StatusCode::OK, "the server answered {status}");
    Ok(())
}

/// The cause of a failed call that says most, such as that the connection was refused.
fn innermost(error: reqwest::Error) -> anyhow::Error {
    if error.is_timeout() {
        return anyhow::anyhow!("no answer within {} seconds", WITHIN.as_secs());
    }
    let error = anyhow::Error::from(error);
    anyhow::anyhow!("{}", error.root_cause())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_every_address_is_called_on_loopback() {
        for (bind, expected) in [
            ("127.0.0.1:3978", "http://127.0.0.1:3978/readyz"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080/readyz"),
            ("[::]:8080", "http://[::1]:8080/readyz"),
            ("192.0.2.7:80", "http://192.0.2.7/readyz"),
        ] {
            let url = on_this_machine(bind.parse().expect("an address"), "/readyz").expect("an address with a port");
            assert_eq!(url.as_str(), expected);
        }
        let error = on_this_machine("127.0.0.1:0".parse().expect("an address"), "/readyz").expect_err("any port");
        assert!(error.to_string().contains("--url"), "{error}");
    }
}
