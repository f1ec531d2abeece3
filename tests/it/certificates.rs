//! Certificates of servers that the tests start: made by openssl, for those who run the servers.

use std::path::Path;

use crate::postgres::command;

pub(crate) const ROOT: &str = "root.pem";
pub(crate) const SERVER: &str = "server.pem";
pub(crate) const KEY: &str = "server.key";

const SETTINGS: &str = "
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[server]
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:localhost, IP:127.0.0.1
extendedKeyUsage = serverAuth
";

/// Writes a root into a folder, and a certificate for this machine that the root has signed.
pub(crate) fn write(folder: &Path) {
    let settings = folder.join("settings");
    std::fs::write(&settings, SETTINGS).expect("written");
    let path = |name: &str| folder.join(name);
    let make = |section: &str, key: &str, certificate: &str, signed_by: &[&Path]| {
        let mut openssl = command(Path::new("openssl"));
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        openssl.args(["-days", "2", "-subj", &format!("/CN={section} of a test"), "-extensions", section, "-config"]);
        openssl.arg(&settings).arg("-keyout").arg(path(key)).arg("-out").arg(path(certificate)).args(signed_by);
        let output = openssl.output().expect("openssl is missing: install it (Debian: `apt-get install openssl`)");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    make("root", "root.key", ROOT, &[]);
    make("server", KEY, SERVER, &[Path::new("-CA"), &path(ROOT), Path::new("-CAkey"), &path("root.key")]);
}
