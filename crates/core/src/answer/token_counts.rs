//! How many tokens an answer took.

/// The tokens that a provider counted, as far as it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Of what the model was given: instructions, passages and turns.
    pub prompt: Option<u64>,
    /// Of what the model wrote, thoughts included where they are paid for.
    pub completion: Option<u64>,
    /// Of both, where the provider says so itself.
    pub total: Option<u64>,
}

impl TokenCounts {
    /// Takes over what is told later: a count that is there takes the place of the one before it.
    pub fn renew(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.completion = later.completion.or(self.completion);
        self.total = later.total.or(self.total);
    }
}
