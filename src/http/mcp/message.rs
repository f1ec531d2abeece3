//! Messages of the protocol: JSON-RPC 2.0, one in each body.

use serde_json::{Map, Value, json};

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Request(Request),
    /// A notification, or the response to a request of ours, of which there are none.
    Notification,
}

/// A request, which is answered.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    id: Value,
    pub(super) method: String,
    params: Map<String, Value>,
}

/// Why a request has no result: a code of JSON-RPC, and the reason in words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    code: i32,
    reason: String,
}

impl Fault {
    fn unreadable(error: &serde_json::Error) -> Self {
        Self { code: -32700, reason: format!("the body is not JSON: {error}") }
    }

    pub(super) fn invalid_request(reason: impl Into<String>) -> Self {
        Self { code: -32600, reason: reason.into() }
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        let method: String = method.chars().take(100).collect();
        Self { code: -32601, reason: format!("there is no method {method:?}") }
    }

    pub(super) fn invalid_params(reason: impl Into<String>) -> Self {
        Self { code: -32602, reason: reason.into() }
    }

    /// A resource that is not there: the code that the protocol has for it.
    pub(super) fn unknown_resource(uri: &str) -> Self {
        let uri: String = uri.chars().take(200).collect();
        Self { code: -32002, reason: format!("there is no resource {uri}") }
    }

    /// The response to the request with this id; without one, to a body that was none.
    pub(super) fn response(&self, id: Option<&Value>) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": self.code, "message": self.reason}})
    }
}

impl Incoming {
    pub(super) fn parse(body: &[u8]) -> Result<Self, Fault> {
        let members = match serde_json::from_slice(body).map_err(|error| Fault::unreadable(&error))? {
            Value::Object(members) => members,
            Value::Array(_) => return Err(Fault::invalid_request("send one message in each body, not a list")),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(Fault::invalid_request("an object is required"));
            }
        };
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(Fault::invalid_request("the member jsonrpc must be \"2.0\""));
        }
        let method = match members.get("method") {
            Some(Value::String(method)) => method.clone(),
            None if members.contains_key("result") || members.contains_key("error") => return Ok(Self::Notification),
            _ => return Err(Fault::invalid_request("the member method must be a text")),
        };
        let id = match members.get("id") {
            None => return Ok(Self::Notification),
            Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
            Some(_) => return Err(Fault::invalid_request("the member id must be a text or a number")),
        };
        let params = match members.get("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params.clone(),
            Some(_) => return Err(Fault::invalid_params("the member params must be an object")),
        };
        Ok(Self::Request(Request { id, method, params }))
    }
}

impl Request {
    /// The parameter of this name, if it is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }

    /// The parameter of this name, which must be a text.
    pub(super) fn required(&self, name: &str) -> Result<&str, Fault> {
        self.text(name).ok_or_else(|| Fault::invalid_params(format!("the parameter {name} must be a text")))
    }

    /// The arguments of a tool.
    pub(super) fn arguments(&self) -> Result<Map<String, Value>, Fault> {
        match self.params.get("arguments") {
            None => Ok(Map::new()),
            Some(Value::Object(arguments)) => Ok(arguments.clone()),
            Some(_) => Err(Fault::invalid_params("the parameter arguments must be an object")),
        }
    }

    /// The response with this outcome.
    pub(super) fn response(&self, outcome: Result<Value, Fault>) -> Value {
        match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": self.id, "result": result}),
            Err(fault) => fault.response(Some(&self.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_a_request_a_notification_or_a_fault_that_says_why() {
        for (body, expected) in [
            ("{", Err(-32700)),
            ("[]", Err(-32600)),
            ("1", Err(-32600)),
            (r#"{"method":"ping","id":1}"#, Err(-32600)),
            (r#"{"jsonrpc":"2.0","id":1}"#, Err(-32600)),
            (r#"{"jsonrpc":"2.0","method":"ping","id":null}"#, Err(-32600)),
            (r#"{"jsonrpc":"2.0","method":"ping","id":1,"params":[]}"#, Err(-32602)),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, Ok(None)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Ok(None)),
            (r#"{"jsonrpc":"2.0","method":"ping","id":"a"}"#, Ok(Some("ping"))),
        ] {
            let parsed = Incoming::parse(body.as_bytes()).map_err(|fault| fault.code);
            let method = parsed.as_ref().map(|incoming| match incoming {
                Incoming::Request(request) => Some(request.method.as_str()),
                Incoming::Notification => None,
            });
            assert_eq!(method.map_err(|code| *code), expected, "{body}");
        }
    }
}
