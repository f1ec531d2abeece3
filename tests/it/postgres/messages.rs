/// Cuts what one side of a connection says into messages: a letter, the length of what follows with itself, and the rest.
pub(super) struct Messages {
    begun: Vec<u8>,
    /// The first message of a client has no letter.
    is_first_of_client: bool,
}

impl Messages {
    pub(super) fn of_client() -> Self {
        Self { begun: Vec::new(), is_first_of_client: true }
    }

    pub(super) fn of_server() -> Self {
        Self { begun: Vec::new(), is_first_of_client: false }
    }

    /// The messages that are whole with these bytes.
    pub(super) fn whole(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.begun.extend_from_slice(bytes);
        let mut whole = Vec::new();
        loop {
            let letter = usize::from(!self.is_first_of_client);
            let Some(length) = self.begun.get(letter..letter + 4) else { return whole };
            let length = u32::from_be_bytes(length.try_into().expect("four bytes"));
            let end = letter + usize::try_from(length).expect("small");
            if self.begun.len() < end {
                return whole;
            }
            whole.push(self.begun.drain(..end).collect());
            self.is_first_of_client = false;
        }
    }
}
