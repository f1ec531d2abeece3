//! The platforms that packages are made for, and how each kind of package calls them.

use anyhow::{Context as _, Result, bail};

/// One platform.
#[derive(Debug)]
pub(crate) struct Platform {
    /// As rustc calls it.
    pub(crate) triple: &'static str,
    /// `os` and `cpu` of npm, which are Node's `process.platform` and `process.arch`.
    pub(crate) npm: (&'static str, &'static str),
    /// The runtime of .NET.
    pub(crate) dotnet: &'static str,
    /// The tag of a wheel (PEP 425; PEP 600 for Linux).
    pub(crate) wheel: &'static str,
    /// The architecture of Debian.
    pub(crate) debian: Option<&'static str>,
}

/// The oldest glibc on which programs for Linux run: that of CentOS 7, and the oldest that rustc's own library supports.
pub(crate) const GLIBC: &str = "2.17";

/// Every platform.
pub(crate) const PLATFORMS: [Platform; 5] = [
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        npm: ("linux", "x64"),
        dotnet: "linux-x64",
        wheel: "manylinux2014_x86_64.manylinux_2_17_x86_64",
        debian: Some("amd64"),
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        npm: ("linux", "arm64"),
        dotnet: "linux-arm64",
        wheel: "manylinux2014_aarch64.manylinux_2_17_aarch64",
        debian: Some("arm64"),
    },
    Platform {
        triple: "x86_64-apple-darwin",
        npm: ("darwin", "x64"),
        dotnet: "osx-x64",
        wheel: "macosx_10_12_x86_64",
        debian: None,
    },
    Platform {
        triple: "aarch64-apple-darwin",
        npm: ("darwin", "arm64"),
        dotnet: "osx-arm64",
        wheel: "macosx_11_0_arm64",
        debian: None,
    },
    Platform {
        triple: "x86_64-pc-windows-msvc",
        npm: ("win32", "x64"),
        dotnet: "win-x64",
        wheel: "win_amd64",
        debian: None,
    },
];

impl Platform {
    pub(crate) fn by_triple(triple: &str) -> Result<&'static Self> {
        let Some(platform) = PLATFORMS.iter().find(|platform| platform.triple == triple) else {
            let known: Vec<&str> = PLATFORMS.iter().map(|platform| platform.triple).collect();
            bail!("no packages are made for `{triple}`, but for {}", known.join(", "));
        };
        Ok(platform)
    }

    /// The platform that this program itself was built for.
    pub(crate) fn here() -> Result<&'static Self> {
        use std::env::consts::{ARCH, OS};
        let system = if OS == "macos" { "-apple-" } else { OS };
        let is_here = |triple: &str| triple.starts_with(ARCH) && triple.contains(system);
        let here = PLATFORMS.iter().find(|platform| is_here(platform.triple));
        here.with_context(|| format!("no packages are made for {OS} on {ARCH}"))
    }

    pub(crate) fn is_linux(&self) -> bool {
        self.npm.0 == "linux"
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.npm.0 == "win32"
    }

    /// The file name of the program.
    pub(crate) fn program(&self) -> &'static str {
        if self.is_windows() { "citewire.exe" } else { "citewire" }
    }

    /// The file name of a dynamic library.
    pub(crate) fn library(&self, name: &str) -> String {
        match self.npm.0 {
            "win32" => format!("{name}.dll"),
            "darwin" => format!("lib{name}.dylib"),
            _ => format!("lib{name}.so"),
        }
    }

    /// `linux-x64`
    pub(crate) fn short(&self) -> String {
        format!("{}-{}", self.npm.0, self.npm.1)
    }

    /// The target for cargo; zig takes the version of glibc with it.
    pub(crate) fn target(&self) -> String {
        if self.is_linux() { format!("{}.{GLIBC}", self.triple) } else { self.triple.to_owned() }
    }
}
