//! Status and error texts for users.

/// The status and error texts for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectorTexts {
    /// In a stream whose time is over before anything of the answer could be shown.
    pub longer: String,
    /// Behind what was shown, where the whole answer is a message of its own.
    pub follows: String,
    /// Behind an answer that broke off.
    pub incomplete: String,
    /// In place of an apology, when nobody knows whether the answer has arrived.
    pub doubt: String,
}

impl Default for ConnectorTexts {
    fn default() -> Self {
        Self {
            longer: "The answer takes longer than usual …".to_owned(),
            follows: "The whole answer follows in a new message.".to_owned(),
            incomplete: "The answer above is incomplete: it broke off while it was being written.".to_owned(),
            doubt: "I cannot tell whether my answer has arrived. If you do not see it above, please ask again."
                .to_owned(),
        }
    }
}
