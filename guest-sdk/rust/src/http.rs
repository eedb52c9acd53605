//! Requests to hosts that the rule names. Needs the grant `hosts`, so the manifest says `"wants": ["hosts"]`.
//!
//! ```no_run
//! # use hookbox_guest::{http::Request, Error};
//! # fn ask() -> Result<(), Error> {
//! let response = Request::post("https://policy.example.com/deploys")
//!     .json(&serde_json::json!({ "branch": "main" }))?
//!     .send()?;
//! let text = response.text()?;
//! # Ok(())
//! # }
//! ```
//!
//! A URL that no grant covers fails the call, whatever the guard does afterwards. So does a redirect to such a URL,
//! exceeding the grant's `maxBytes` (256 KiB for all answers of a call) or its `maxCalls` (8 requests).
//! The time until the answer counts against the rule's timeout.

use crate::host::{block, contents, host_functions};
use crate::Error;
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

host_functions! {
    "extism:host/env" {
        http_request(request: u64, body: u64) -> u64;
        http_status_code() -> u32;
        http_headers() -> u64;
    }
}

/// A request that has not been sent yet.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    #[serde(skip)]
    body: Option<Vec<u8>>,
}

impl Request {
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Request {
            method: method.into(),
            url: url.into(),
            headers: BTreeMap::new(),
            body: None,
        }
    }

    pub fn get(url: impl Into<String>) -> Self {
        Request::new("GET", url)
    }

    pub fn post(url: impl Into<String>) -> Self {
        Request::new("POST", url)
    }

    /// Replaces an earlier header with the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers
            .insert(name.into().to_ascii_lowercase(), value.into());
        self
    }

    /// At most 256 KiB.
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Some(bytes.into());
        self
    }

    /// Sets a JSON body and its `content-type`. An error if serde cannot write the value.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(value)?;
        Ok(self.header("content-type", "application/json").body(bytes))
    }

    /// Sends the request and waits for the answer, whatever its status is. `Err` if there was no
    /// answer. Never permit in this case, because an attacker may be able to keep the host from
    /// answering: let `?` fail the call, or deny.
    pub fn send(self) -> Result<Response, NoAnswer> {
        let terms = serde_json::to_vec(&self).expect("texts are JSON");
        // SAFETY: the handles are of blocks, or 0 without a body; the result is a block of the host or 0.
        let (body, status, headers) = unsafe {
            let body = self.body.as_deref().map_or(0, block);
            let answer = abi::http_request(block(&terms), body);
            match abi::http_status_code() {
                0 => return Err(NoAnswer { request: self }),
                status => (answer, status, abi::http_headers()),
            }
        };
        Ok(Response {
            status: status as u16,
            headers: contents(headers)
                .and_then(|text| serde_json::from_slice(&text).ok())
                .unwrap_or_default(),
            body: contents(body).unwrap_or_default(),
        })
    }
}

/// The answer of a host.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Response {
    /// Whether the status is from 200 to 299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A header by its name, in upper or lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(&name.to_ascii_lowercase())
            .map(String::as_str)
    }

    /// The body as text. An error if it is not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        Ok(std::str::from_utf8(&self.body)?)
    }

    /// The body as JSON, as your own type. An error if it has another form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// There was no answer, or an incomplete one: an unknown name, a closed port, a broken connection.
#[derive(Clone, Debug)]
pub struct NoAnswer {
    request: Request,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { method, url, .. } = &self.request;
        write!(formatter, "{} {}: no answer", method, url)
    }
}

impl std::error::Error for NoAnswer {}
