//! What Atlas remembers: episodic, semantic and procedural memory, and how it gets in and out.
//!
//! What there is: [`conversation`], [`fact`], [`episode`], [`procedure`]; [`relation`] is what facts are compared by. In:
//! [`writing`]. Out: [`recall`]. What happened: [`history`]. Away: [`forgetting`]. Between Atlas and files: [`transfer`]. [`page`] is
//! memory as people browse it.

pub mod conversation;
pub mod episode;
pub mod fact;
pub mod find;
pub mod forgetting;
pub mod history;
pub mod index;
pub mod page;
pub mod procedure;
pub mod recall;
pub mod relation;
pub mod source;
#[cfg(test)]
mod testing;
pub mod transfer;
pub mod writing;
