pub mod process;
pub mod window;
