//! Actions that need several commands: in one transaction.

use super::Call;
use crate::driver::Tx;
use crate::error::Result;

impl Call {
    /// Whether the action is on a session that it was given.
    pub(crate) fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// Runs a transaction: its commands are sent by the call that the body is given. The write
    /// concern becomes that of the commit.
    pub(crate) async fn in_transaction<R, Run>(
        &self,
        mut body: impl FnMut(Self) -> Run + Send,
    ) -> Result<R>
    where
        Run: Future<Output = Result<R>> + Send,
        R: Send,
    {
        let mut call = self.clone();
        let concern = call.options.as_mut().and_then(|options| options.write_concern.take());
        let mut transaction = self.target.transaction(|tx: Tx| {
            let mut call = call.clone();
            call.session(tx.as_ref());
            body(call)
        });
        if let Some(concern) = concern {
            transaction = transaction.write_concern(concern);
        }
        transaction.await
    }

    /// The same action, which tells strings apart that the collection's collation takes for equal.
    pub(crate) fn exactly(mut self) -> Self {
        self.options().collation = Some(Self::simple());
        self
    }
}
