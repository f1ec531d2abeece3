//! Profiles: what a program demands of activities beyond the rules of its channel.

use std::fmt;
use std::str::FromStr;

use super::Channel;

/// Demands beyond the rules of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// An agent for the store of Microsoft 365 Copilot: citations that readers can open.
    CopilotStore,
    /// Teams with extended Markdown, which has tables, formulas and task lists.
    TeamsExtended,
}

/// The name is not a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile {:?}; the profiles are copilot-store and teams-extended", citewire_core::text::echo(.0))]
pub struct UnknownProfile(String);

impl Profile {
    /// The channel whose rules also apply.
    #[must_use]
    pub fn channel(self) -> Channel {
        match self {
            Self::CopilotStore | Self::TeamsExtended => Channel::Teams,
        }
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "copilot-store" => Ok(Self::CopilotStore),
            "teams-extended" => Ok(Self::TeamsExtended),
            _ => Err(UnknownProfile(name.to_owned())),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CopilotStore => "copilot-store",
            Self::TeamsExtended => "teams-extended",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_profiles() {
        for profile in [Profile::CopilotStore, Profile::TeamsExtended] {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        assert!("store".parse::<Profile>().is_err());
    }
}
