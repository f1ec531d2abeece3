//! Loads the configuration: flags, environment, file and defaults, in this order.
//!
//! Each module owns its options; this one only gathers them. `settings` lists every setting once.

mod assistant_form;
mod assistant_section;
mod assistanthub;
mod assistants;
mod back_ends;
mod config;
mod error;
mod formats;
mod generated_secrets;
mod keys;
mod labels;
mod load;
mod raw_config;
mod schema;
mod secrets;
mod setting;
mod settings;
mod unset;
mod variables;

pub use assistant_form::assistant_form;
pub use assistant_section::read_settings;
pub use back_ends::{BackEnds, back_ends};
pub use config::{Config, KeyPlace, bind_address, caller_access, store_location};
pub use error::{ConfigError, ConfigFault, FaultOrigin};
pub(crate) use formats::ready_mapping;
pub use formats::{MappingFault, mapping_file};
pub use generated_secrets::GeneratedSecretError;
pub use load::ConfigSources;
pub use schema::schema;
pub use setting::{DefaultValue, Setting, ValueKind, environment_name};
pub use settings::{setting, settings};
