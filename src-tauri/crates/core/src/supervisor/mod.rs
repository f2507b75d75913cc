//! Child processes: started, watched and ended; none is left behind.
