//! Keys: in the system keychain and in memory, nowhere else.
