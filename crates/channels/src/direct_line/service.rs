//! The operations of a Direct Line client.

use std::sync::Arc;

use super::caller::user_id;
use super::{Caller, Claims, DirectLineError, DirectLineOptions, Feed, Hub, Owner, Publisher, Respondent};
use super::{TokenError, TokenKind, Tokens};
use crate::activity::{ActivitySet, ChannelAccount, ConversationId, Role, Watermark};
use crate::azure_bot::is_behind_azure;
use crate::clock::{Clock, IdSource};
use crate::store::{Conversation, ConversationStore, Created};

/// A token for a conversation, as the token endpoints return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The token.
    pub token: String,
    /// How long it is good for, in seconds.
    pub expires_in: u32,
}

/// A started conversation, with the token of its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// A new token.
    pub grant: Grant,
    /// The credential for the stream URL.
    pub stream: String,
    /// The stream starts after this; `None` is the beginning.
    pub after: Option<Watermark>,
    /// The conversation did not exist before.
    pub created: bool,
}

/// The position from which a reconnecting client continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// From the beginning: the client has seen nothing.
    Beginning,
    /// After what it has seen.
    After(Watermark),
    /// With what comes after this call.
    Live,
}

/// The embedded Direct Line channel.
#[derive(Debug)]
pub struct DirectLine {
    pub(super) store: Arc<dyn ConversationStore>,
    tokens: Tokens,
    pub(super) publisher: Arc<Publisher>,
    pub(super) ids: Arc<dyn IdSource>,
    options: DirectLineOptions,
    pub(super) respondent: Option<Arc<dyn Respondent>>,
}

/// The options in the body of a token request or a start request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenRequest {
    /// The user.
    pub user: Option<ChannelAccount>,
    /// The only web sites whose pages may use the token; empty for all.
    pub origins: Vec<String>,
    /// The language tag of the user, for a bot that greets its user.
    pub locale: Option<String>,
}

impl DirectLine {
    /// A channel over a store.
    #[must_use]
    pub fn new(
        store: Arc<dyn ConversationStore>,
        tokens: Tokens,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        options: DirectLineOptions,
    ) -> Self {
        let hub = Hub::new(options.max_sockets_per_conversation, options.max_ephemeral);
        let publisher = Publisher::new(Arc::clone(&store), hub, clock, Arc::clone(&ids));
        Self { store, tokens, publisher: Arc::new(publisher), ids, options, respondent: None }
    }

    /// Adds a respondent, who answers what users do.
    #[must_use]
    pub fn answered_by(self, respondent: Arc<dyn Respondent>) -> Self {
        Self { respondent: Some(respondent), ..self }
    }

    /// The publisher to the readers of this channel.
    #[must_use]
    pub fn publisher(&self) -> Arc<Publisher> {
        Arc::clone(&self.publisher)
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &DirectLineOptions {
        &self.options
    }

    /// The claims of a token that a client shows in the `Authorization` header.
    ///
    /// # Errors
    /// When it is not good.
    pub fn authenticate(&self, token: &str) -> Result<Claims, TokenError> {
        self.tokens.verify(token, &[TokenKind::Token, TokenKind::Page])
    }

    /// The claims of a token that the page shows to send an answer.
    ///
    /// # Errors
    /// When it is not good, or not the page's.
    pub fn authenticate_page(&self, token: &str) -> Result<Claims, TokenError> {
        self.tokens.verify(token, &[TokenKind::Page])
    }

    /// Makes a token for a conversation that does not exist yet. Starts nothing.
    ///
    /// # Errors
    /// When the caller does not hold the secret.
    pub fn generate(&self, caller: &Caller, wished: TokenRequest) -> Result<Grant, DirectLineError> {
        match caller {
            Caller::Secret(owner) => {
                let id = owner.fresh_conversation(&*self.ids);
                let user = wished.user.and_then(|user| user.id).map(|id| user_id(id, "/user/id")).transpose()?;
                self.check_user(user.as_deref())?;
                self.grant(TokenKind::Token, id, user, wished.origins)
            }
            Caller::Token(_) => Err(DirectLineError::SecretRequired),
        }
    }

    /// Starts a conversation for the page, with a token that may also send answers.
    ///
    /// # Errors
    /// When the store cannot take it.
    pub async fn start_page(&self, owner: &Owner) -> Result<(Grant, String), DirectLineError> {
        let id = owner.fresh_conversation(&*self.ids);
        let user = format!("dl_{}", self.ids.fresh().simple());
        self.create(&id, Some(ChannelAccount::new(user.clone(), Role::User)), None).await?;
        Ok((self.grant(TokenKind::Page, id, Some(user.clone()), Vec::new())?, user))
    }

    /// Starts a conversation for a visitor of a page elsewhere, with a token that only pages of its origin may use.
    ///
    /// # Errors
    /// When the store cannot take it.
    pub async fn start_embedded(&self, owner: &Owner, origin: &str) -> Result<(Grant, String), DirectLineError> {
        let id = owner.fresh_conversation(&*self.ids);
        let user = format!("dl_{}", self.ids.fresh().simple());
        self.create(&id, Some(ChannelAccount::new(user.clone(), Role::User)), None).await?;
        Ok((self.grant(TokenKind::Token, id, Some(user.clone()), vec![origin.to_owned()])?, user))
    }

    /// Makes a new token from one that is still good; the old one stays good until it expires by itself.
    ///
    /// # Errors
    /// When the caller holds the secret, which never expires.
    pub fn refresh(&self, caller: &Caller) -> Result<Grant, DirectLineError> {
        match caller {
            Caller::Secret(_) => Err(DirectLineError::TokenRequired),
            Caller::Token(claims) => {
                self.grant(claims.kind, claims.conv.clone(), claims.user.clone(), claims.origins.clone())
            }
        }
    }

    /// Starts the conversation that the token names, or a new one for the secret. Starting again is no error: it gives
    /// a new stream of the same conversation.
    ///
    /// # Errors
    /// When the store cannot take it.
    pub async fn start(&self, caller: &Caller, wished: TokenRequest) -> Result<Started, DirectLineError> {
        let TokenRequest { user, origins, locale } = wished;
        let (id, kind, user, origins) = match caller {
            Caller::Secret(owner) => (owner.fresh_conversation(&*self.ids), TokenKind::Token, user, origins),
            Caller::Token(claims) => {
                let bound = claims.user.clone().map(|id| ChannelAccount::new(id, Role::User));
                (claims.conv.clone(), claims.kind, bound.or(user), claims.origins.clone())
            }
        };
        let is_bound = matches!(caller, Caller::Token(Claims { user: Some(_), .. }));
        if let Some(id) = user.as_ref().and_then(|user| user.id.clone()).filter(|_| !is_bound) {
            user_id(id, "/user/id")?;
        }
        let user = user.filter(|user| user.id.as_ref().is_some_and(|id| !id.is_empty()));
        self.check_user(user.as_ref().and_then(|user| user.id.as_deref()))?;
        let (created, conversation) = self.create(&id, user, locale).await?;
        let user = conversation.user.and_then(|user| user.id);
        let stream = self.stream_credential(&id, origins.clone())?;
        Ok(Started { grant: self.grant(kind, id, user, origins)?, stream, after: None, created })
    }

    /// A new token and a new stream for a conversation that goes on.
    ///
    /// # Errors
    /// When the conversation is not the caller's, or gone.
    pub async fn reconnect(
        &self,
        caller: &Caller,
        id: &ConversationId,
        resume: Resume,
    ) -> Result<Started, DirectLineError> {
        self.admit(caller, id)?;
        let newest = self.store.newest(id).await?.ok_or(DirectLineError::UnknownConversation)?;
        let after = match resume {
            Resume::Beginning => None,
            Resume::After(seen) => Some(seen).min(newest.watermark),
            Resume::Live => newest.watermark,
        };
        let (kind, user, origins) = match caller {
            Caller::Secret(_) => (TokenKind::Token, None, Vec::new()),
            Caller::Token(claims) => (claims.kind, claims.user.clone(), claims.origins.clone()),
        };
        let grant = self.grant(kind, id.clone(), user, origins.clone())?;
        Ok(Started { grant, stream: self.stream_credential(id, origins)?, after, created: false })
    }

    /// The activities behind `after`, up to a page.
    ///
    /// # Errors
    /// When the conversation is not the caller's, or gone.
    pub async fn read(
        &self,
        caller: &Caller,
        id: &ConversationId,
        after: Option<Watermark>,
    ) -> Result<ActivitySet, DirectLineError> {
        self.admit(caller, id)?;
        let page = self.store.read(id, after, self.options.page_size).await?;
        let page = page.ok_or(DirectLineError::UnknownConversation)?;
        let activities = page.recorded.into_iter().map(|recorded| recorded.activity).collect();
        Ok(ActivitySet::new(activities, page.reached))
    }

    /// Opens the stream of a conversation with the credential from its URL, for a page of this origin.
    ///
    /// # Errors
    /// When the credential is not good for this conversation, or the conversation is gone or has too many readers.
    pub async fn stream(
        &self,
        credential: &str,
        origin: Option<&str>,
        id: &ConversationId,
        after: Option<Watermark>,
    ) -> Result<Feed, DirectLineError> {
        let claims = self.tokens.verify(credential, &[TokenKind::Stream])?;
        if !claims.is_good_from(origin) {
            return Err(DirectLineError::ForeignOrigin);
        }
        if claims.conv != *id {
            return Err(DirectLineError::ForeignConversation);
        }
        let listener = self.store.subscribe(id).await?.ok_or(DirectLineError::UnknownConversation)?;
        let newest = self.store.newest(id).await?.ok_or(DirectLineError::UnknownConversation)?;
        let after = after.min(newest.watermark);
        Ok(self.publisher.hub().feed(Arc::clone(&self.store), listener, id.clone(), after)?)
    }

    /// Creates the conversation, or finds it; whether it is new. A user who was not known before may be a turn.
    async fn create(
        &self,
        id: &ConversationId,
        user: Option<ChannelAccount>,
        locale: Option<String>,
    ) -> Result<(bool, Conversation), DirectLineError> {
        let respondent = self.respondent.as_ref();
        let turn = respondent.and_then(|respondent| respondent.joined(id, user.as_ref()?, locale));
        Ok(outcome(self.store.create_asking(id, user, turn).await?))
    }

    pub(super) fn admit(&self, caller: &Caller, id: &ConversationId) -> Result<(), DirectLineError> {
        // The store is shared, the conversations are not: this channel knows none of another.
        if is_behind_azure(id) {
            return Err(DirectLineError::UnknownConversation);
        }
        match caller {
            Caller::Token(claims) if claims.conv != *id => Err(DirectLineError::ForeignConversation),
            Caller::Secret(owner) if *owner != Owner::of(id) => Err(DirectLineError::ForeignConversation),
            Caller::Secret(_) | Caller::Token(_) => Ok(()),
        }
    }

    /// An id for a new conversation of the channel itself.
    #[must_use]
    pub fn fresh_conversation(&self) -> ConversationId {
        Owner::CHANNEL.fresh_conversation(&*self.ids)
    }

    /// Judges the id that a user is given, or gives himself.
    pub(super) fn check_user(&self, id: Option<&str>) -> Result<(), DirectLineError> {
        let is_usable = !self.options.require_dl_ids || id.is_none_or(|id| id.starts_with("dl_"));
        if is_usable { Ok(()) } else { Err(DirectLineError::NoDlId) }
    }

    fn stream_credential(&self, id: &ConversationId, origins: Vec<String>) -> Result<String, DirectLineError> {
        Ok(self.tokens.issue(TokenKind::Stream, id.clone(), None, origins, self.options.stream_seconds)?)
    }

    fn grant(
        &self,
        kind: TokenKind,
        id: ConversationId,
        user: Option<String>,
        origins: Vec<String>,
    ) -> Result<Grant, DirectLineError> {
        let expires_in = self.options.token_seconds;
        let token = self.tokens.issue(kind, id.clone(), user, origins, expires_in)?;
        Ok(Grant { conversation_id: id, token, expires_in })
    }
}

fn outcome(created: Created) -> (bool, Conversation) {
    match created {
        Created::New(conversation) => (true, conversation),
        Created::Existing(conversation) => (false, conversation),
    }
}
