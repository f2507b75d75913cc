//! A gate in front of a piece of an answer, which the test opens.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A gate. It is closed at first; clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<Pass>, Condvar)>);

#[derive(Debug, Default)]
enum Pass {
    #[default]
    Closed,
    /// So many may pass.
    Some(usize),
    Open,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets one more pass.
    pub fn let_one_pass(&self) {
        self.change(|pass| match pass {
            Pass::Closed => Pass::Some(1),
            Pass::Some(count) => Pass::Some(count + 1),
            Pass::Open => Pass::Open,
        });
    }

    /// Lets all pass from now on.
    pub fn open(&self) {
        self.change(|_| Pass::Open);
    }

    fn change(&self, change: impl FnOnce(Pass) -> Pass) {
        let (pass, changed) = &*self.0;
        let mut pass = pass.lock().unwrap_or_else(PoisonError::into_inner);
        *pass = change(std::mem::take(&mut pass));
        changed.notify_all();
    }

    /// Waits until it lets us pass.
    pub(crate) fn pass(&self) {
        let (pass, changed) = &*self.0;
        let pass = pass.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pass = changed
            .wait_while(pass, |pass| matches!(pass, Pass::Closed | Pass::Some(0)))
            .unwrap_or_else(PoisonError::into_inner);
        if let Pass::Some(count) = &mut *pass {
            *count -= 1;
        }
    }
}
