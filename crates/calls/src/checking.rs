//! Activities to findings.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::check::{Change, Channel, Finding, Mended, NotAnActivity, Profile, check, check_profile, mend, read};
use crate::check_error::CheckError;
use crate::error::CallError;
use crate::request::{parameters, text_member, without_mark};

/// The result of a check.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CheckAnswer {
    /// The findings, in the order of the document.
    pub findings: Vec<Finding>,
    /// The activity with everything mended whose remedy is known; only with `fix=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub activity: Option<Value>,
    /// The changes to the activity, in their order; only with `fix=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
}

/// The rules to check by.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    channel: Channel,
    profile: Option<Profile>,
}

impl Rules {
    /// The rules of a channel or of a profile; those of Web Chat when neither is given.
    ///
    /// # Errors
    /// When the profile belongs to another channel.
    pub fn new(channel: Option<Channel>, profile: Option<Profile>) -> Result<Self, CheckError> {
        let of_profile = profile.map(Profile::channel);
        match (channel, of_profile) {
            (Some(channel), Some(of_profile)) if channel != of_profile => {
                Err(member("/channel", "the profile belongs to another channel; leave one of them out"))
            }
            (channel, of_profile) => Ok(Self { channel: channel.or(of_profile).unwrap_or(Channel::WebChat), profile }),
        }
    }

    /// Reads the parameters of a call.
    pub(crate) fn parse(given: &[u8]) -> Result<Self, CallError> {
        let members = parameters(given, &["channel", "profile"])?;
        let channel = text_member(&members, "channel")?.map(|name| name.parse()).transpose();
        let profile = text_member(&members, "profile")?.map(|name| name.parse()).transpose();
        let rules = Self::new(channel.map_err(CheckError::from)?, profile.map_err(CheckError::from)?);
        Ok(rules?)
    }

    /// Checks a document.
    #[must_use]
    pub fn check(self, document: &Value) -> CheckAnswer {
        CheckAnswer { findings: self.findings(document), activity: None, changes: None }
    }

    /// Mends a document, and checks what came of it.
    ///
    /// # Errors
    /// When it is not an activity.
    pub fn fix(self, document: &Value) -> Result<CheckAnswer, NotAnActivity> {
        let Mended { document, changes, .. } = mend(document, self.channel)?;
        Ok(CheckAnswer { findings: self.findings(&document), activity: Some(document), changes: Some(changes) })
    }

    pub(crate) fn check_bytes(self, body: &[u8]) -> Result<CheckAnswer, CheckError> {
        Ok(self.check(&read(without_mark(body))?))
    }

    pub(crate) fn fix_bytes(self, body: &[u8]) -> Result<CheckAnswer, CheckError> {
        Ok(self.fix(&read(without_mark(body))?)?)
    }

    fn findings(self, document: &Value) -> Vec<Finding> {
        match self.profile {
            Some(profile) => check_profile(document, profile),
            None => check(document, self.channel),
        }
    }
}

/// An activity, and the rules to check it by.
#[derive(Debug)]
pub struct CheckRequest {
    activity: Value,
    rules: Rules,
}

impl CheckRequest {
    /// Reads a body: an object with `activity`, and perhaps `channel`.
    ///
    /// # Errors
    /// When the body is not JSON, or a member is missing, wrong or unknown.
    pub fn parse(body: &[u8], profile: Option<Profile>) -> Result<Self, CheckError> {
        let mut members = match serde_json::from_slice(without_mark(body))? {
            Value::Object(members) => members,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(member("", "an object with activity and channel is required"));
            }
        };
        let rules = Rules::new(channel(&members)?, profile)?;
        let activity = members.remove("activity").filter(|activity| !activity.is_null());
        let activity = activity.ok_or_else(|| member("/activity", "an activity is required"))?;
        if let Some(name) = members.keys().find(|name| *name != "channel") {
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            return Err(CheckError::Member { pointer, reason: "unknown member; the members are activity and channel" });
        }
        Ok(Self { activity, rules })
    }

    /// Checks the activity.
    #[must_use]
    pub fn check(&self) -> CheckAnswer {
        self.rules.check(&self.activity)
    }

    /// Mends the activity, and checks what came of it.
    ///
    /// # Errors
    /// When it is not an activity.
    pub fn fix(&self) -> Result<CheckAnswer, CheckError> {
        Ok(self.rules.fix(&self.activity)?)
    }
}

fn channel(members: &Map<String, Value>) -> Result<Option<Channel>, CheckError> {
    match members.get("channel") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.parse()?)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(member("/channel", "text is required"))
        }
    }
}

fn member(pointer: &str, reason: &'static str) -> CheckError {
    CheckError::Member { pointer: pointer.to_owned(), reason }
}
