//! The sender of answers in the embedded channel.

use super::DirectLineOptions;
use crate::activity::{Activity, ChannelAccount, Role};

/// The `channelId` of everything that this channel delivers.
pub(crate) const CHANNEL_ID: &str = "directline";

/// The account that says answers.
pub(crate) fn bot(options: &DirectLineOptions) -> ChannelAccount {
    let mut bot = ChannelAccount::new(options.bot_id.clone(), Role::Bot);
    bot.name = Some(options.bot_name.clone());
    bot
}

/// The activity as something that the bot says in the embedded channel.
pub(crate) fn sign(mut activity: Activity, bot: &ChannelAccount) -> Activity {
    activity.from = Some(bot.clone());
    activity.channel_id = Some(CHANNEL_ID.to_owned());
    activity
}
