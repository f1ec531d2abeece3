//! Token counts of an answer.

/// The token counts that a provider reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Tokens of the prompt: instructions, passages and turns.
    pub prompt: Option<u64>,
    /// Tokens that the model wrote, including billed reasoning.
    pub completion: Option<u64>,
    /// The sum, if the provider reports it.
    pub total: Option<u64>,
}

impl TokenCounts {
    /// Replaces counts by later ones; a count that is missing later stays.
    pub fn renew(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.completion = later.completion.or(self.completion);
        self.total = later.total.or(self.total);
    }
}
