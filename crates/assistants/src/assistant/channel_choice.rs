//! The assistant of the channel itself, which the page shows: that of the configuration, or one that was chosen since.

use super::AssistantManager;
use super::current::Current;
use super::manage_error::ManageError;

/// The assistant that answers on the page, and why it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelChoice {
    /// The assistant that answers; `None` if none does.
    pub assistant: Option<String>,
    /// The assistant of the configuration, which answers where none is chosen.
    pub configured: Option<String>,
    /// Whether it was chosen over HTTP.
    pub is_chosen: bool,
    /// The setting by which somebody else answers, and none can be chosen.
    pub taken_by: Option<&'static str>,
}

impl AssistantManager {
    /// The assistant that answers on the page.
    pub async fn channel(&self) -> ChannelChoice {
        let current = self.current.lock().await;
        let Some(current) = current.as_ref() else {
            return ChannelChoice { assistant: None, configured: None, is_chosen: false, taken_by: None };
        };
        let taken_by = current.configured.channel_taken_by;
        ChannelChoice {
            assistant: current.on_channel().map(str::to_owned),
            configured: current.configured.of_channel.clone(),
            is_chosen: current.chosen().is_some(),
            taken_by,
        }
    }

    /// Lets an assistant answer on the page, or, if it is not to and was chosen, leaves the page to the configuration; says whether there is
    /// such an assistant.
    ///
    /// # Errors
    /// When the configuration lets a bot answer there, or the store fails.
    pub async fn choose_for_channel(&self, name: &str, is_wanted: bool) -> Result<bool, ManageError> {
        let mut current = self.current.lock().await;
        let current = current.as_mut().ok_or(ManageError::Starting)?;
        if let Some(setting) = current.configured.channel_taken_by {
            return Err(ManageError::ChannelTaken(setting));
        }
        if !current.knows(name) {
            return Ok(false);
        }
        if is_wanted {
            self.store.choose_channel_assistant(Some(name)).await?;
        } else if current.chosen.as_deref() == Some(name) {
            self.store.choose_channel_assistant(None).await?;
        }
        self.reload(current).await?;
        Ok(true)
    }
}

impl Current {
    /// The assistant that answers on the channel itself.
    pub(super) fn on_channel(&self) -> Option<&str> {
        self.chosen().or(self.configured.of_channel.as_deref())
    }

    /// The chosen one, if it is still there. A choice of before does not hold where a bot answers now: readers of the bot's conversations
    /// would get at the documents of the assistant.
    fn chosen(&self) -> Option<&str> {
        let is_free = self.configured.channel_taken_by.is_none();
        self.chosen.as_deref().filter(|name| is_free && self.knows(name))
    }

    fn knows(&self, name: &str) -> bool {
        self.stored.contains_key(name) || self.of_file.names().any(|known| known == name)
    }
}
