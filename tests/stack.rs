//! Room for recursion over syntax, as the command has it.

const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a thread with a stack as deep as the command's. A panic is an error with its text.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        worker.join().map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("panicked: {}", text.unwrap_or("without a message"))
        })
    })
}
