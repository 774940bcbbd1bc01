//! Process supervision: commands that end with this process, however it ends, and with the time that they are given.
//!
//! Input: a command, what is to go with it, and until when it may run. Output: how it ended and what it printed.
//!
//! Invariants. The command is in a process group of its own, which is killed as a whole when the command has ended,
//! when its time is over, and when this process is gone: by a signal, by its end while another thread waits here, or by
//! anything else. A process that is killed can do nothing any more, so another one stands guard: a copy of this one,
//! which waits for the command and for the end of a pipe whose other end this process alone holds. It is the parent of
//! the command, and is hidden from signals that are meant for this one.
#![expect(unsafe_code, reason = "between fork and exec there are only calls to the system")]

use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use pullback_base::Instant;

/// The most of what a command prints that is kept.
const MOST_PRINTED: usize = 64 << 10;
/// How long what a command printed is waited for when it has ended: what it started may hold the pipe open.
const AFTERWARDS: Duration = Duration::from_millis(500);
/// The longest pause between two looks at whether a command has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub status: ExitStatus,
    /// The first of what it printed.
    pub printed: Vec<u8>,
}

impl Ended {
    /// How it ended, in words; its guard tells of signals as shells do.
    pub fn how(&self) -> String {
        match self.status.code() {
            Some(0) => "ended well".to_owned(),
            Some(code @ 129..) => format!("was ended by signal {}", code - 128),
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        }
    }
}

/// Runs a command until it ends; nothing if its time is over before. What it prints is kept, errors too if they are
/// wanted. If this process ends first, the files of the folder go with the command.
pub(crate) fn run(
    mut command: Command,
    wants_errors: bool,
    folder: Option<&Path>,
    until: Option<Instant>,
) -> std::io::Result<Option<Ended>> {
    let (mut printed, output) = std::io::pipe()?;
    let errors = if wants_errors { Stdio::from(output.try_clone()?) } else { Stdio::null() };
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    let life = stand_guard(&mut command, folder)?;
    let mut child = command.spawn()?;
    // The command holds the end of the pipe into which it prints.
    drop(command);
    let kept = Arc::new(Mutex::new(vec![]));
    let (at_work, ended) = mpsc::channel::<()>();
    let keep = kept.clone();
    let reader = move || {
        let _at_work = at_work;
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = printed.read(&mut buffer) {
            let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
            let left = MOST_PRINTED.saturating_sub(kept.len());
            kept.extend_from_slice(&buffer[..count.min(left)]);
        }
    };
    std::thread::Builder::new().spawn(reader)?;
    let status = match until {
        None => Some(child.wait()?),
        Some(until) => wait_until(&mut child, until, Some(&ended))?,
    };
    let Some(status) = status else {
        drop(life);
        // Where nobody stands guard, the command alone is ended.
        #[cfg(not(unix))]
        child.kill()?;
        wait_until(&mut child, Instant::now() + AFTERWARDS, None)?;
        return Ok(None);
    };
    let _ = ended.recv_timeout(AFTERWARDS);
    let printed = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Some(Ended { status, printed }))
}

/// Waits for the end of a process, but no longer. It is about to end when nobody prints for it any more.
fn wait_until(
    child: &mut std::process::Child,
    until: Instant,
    mut prints: Option<&mpsc::Receiver<()>>,
) -> std::io::Result<Option<ExitStatus>> {
    const FIRST: Duration = Duration::from_micros(200);
    let mut pause = FIRST;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let wait = pause.min(left);
        match prints.map(|prints| prints.recv_timeout(wait)) {
            Some(Err(mpsc::RecvTimeoutError::Timeout)) => {}
            Some(_) => (prints, pause) = (None, FIRST),
            None => std::thread::sleep(wait),
        }
        pause = (pause * 2).min(PAUSE);
    }
}

#[cfg(not(unix))]
fn stand_guard(_: &mut Command, _: Option<&Path>) -> std::io::Result<()> {
    Ok(())
}

/// Has a guard start the command, for as long as what this gives is open.
#[cfg(unix)]
fn stand_guard(
    command: &mut Command,
    folder: Option<&Path>,
) -> std::io::Result<std::io::PipeWriter> {
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::process::CommandExt;
    let (watched, life) = std::io::pipe()?;
    let folder = match folder {
        Some(folder) => Some(std::ffi::CString::new(folder.as_os_str().as_bytes())?),
        None => None,
    };
    let split = move || posix::split(watched.as_raw_fd(), folder.as_deref());
    // SAFETY: `split` only asks the system for things, which is allowed between fork and exec.
    unsafe { command.pre_exec(split) };
    Ok(life)
}

/// What happens between fork and exec. Nothing here takes memory but from the C library, whose `fork` leaves its
/// memory whole.
#[cfg(unix)]
mod posix {
    use std::ffi::{CStr, c_int};
    use std::io;
    use std::mem::MaybeUninit;

    /// How long the guard waits at most before it looks at the command again: a signal wakes it up sooner, unless it
    /// comes just before the guard waits.
    const LOOK_MILLIS: c_int = 20;

    /// The process becomes two: in one this returns, and becomes the command; the other one stands guard until the
    /// command has ended, and ends like it.
    pub(super) fn split(watched: c_int, folder: Option<&CStr>) -> io::Result<()> {
        // SAFETY: these take numbers, and places of this frame that hold what they ask for.
        unsafe {
            let mut before = MaybeUninit::<libc::sigset_t>::uninit();
            let mut all = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigfillset(all.as_mut_ptr());
            libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            let guard = libc::getpid();
            match libc::fork() {
                -1 => {
                    let error = io::Error::last_os_error();
                    libc::sigprocmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
                    Err(error)
                }
                0 => {
                    libc::setpgid(0, 0);
                    follow(guard);
                    libc::sigprocmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
                    Ok(())
                }
                command => watch(command, watched, folder),
            }
        }
    }

    /// Has the command end with its guard, should somebody kill that one.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn follow(guard: libc::pid_t) {
        // SAFETY: these take numbers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != guard {
                libc::_exit(1);
            }
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn follow(_: libc::pid_t) {}

    /// Stands guard: kills the group of the command when it has ended, or when nobody holds the other end of the pipe.
    fn watch(command: libc::pid_t, watched: c_int, folder: Option<&CStr>) -> ! {
        // SAFETY: these take numbers, and places of this frame that hold what they ask for; nothing of this process
        // but this function uses its files.
        unsafe {
            libc::setpgid(0, 0);
            libc::setpgid(command, command);
            hide();
            // What this one has open would keep others from seeing their ends.
            libc::dup2(watched, 0);
            close_from(1);
            let mut wake = MaybeUninit::<libc::sigset_t>::uninit();
            libc::signal(libc::SIGCHLD, woken as *const () as libc::sighandler_t);
            libc::sigemptyset(wake.as_mut_ptr());
            libc::sigaddset(wake.as_mut_ptr(), libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_UNBLOCK, wake.as_ptr(), std::ptr::null_mut());
            loop {
                let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
                let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                libc::waitid(libc::P_PID, command as libc::id_t, info.as_mut_ptr(), how);
                if (*info.as_ptr()).si_pid() == command {
                    // Its number is still its own, and so is that of the group.
                    libc::kill(-command, libc::SIGKILL);
                    libc::_exit(end(command));
                }
                let mut pipe = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
                if libc::poll(&raw mut pipe, 1, LOOK_MILLIS) > 0 {
                    libc::kill(-command, libc::SIGKILL);
                    end(command);
                    if let Some(folder) = folder {
                        clear(folder);
                    }
                    libc::_exit(128 + libc::SIGKILL);
                }
            }
        }
    }

    extern "C" fn woken(_: c_int) {}

    /// Waits for the end of a process, and gives the code of it as shells do.
    fn end(command: libc::pid_t) -> c_int {
        let mut status = 0;
        // SAFETY: the place is of this frame.
        while unsafe { libc::waitpid(command, &raw mut status, 0) } == -1 {
            if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return 127;
            }
        }
        if libc::WIFSIGNALED(status) {
            128 + libc::WTERMSIG(status)
        } else {
            libc::WEXITSTATUS(status)
        }
    }

    /// Gives this process a name of its own, so that who kills all of ours by name leaves it the time to clean up.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn hide() {
        // SAFETY: the name ends with a zero.
        unsafe { libc::prctl(libc::PR_SET_NAME, c"cc-guard".as_ptr()) };
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn hide() {}

    /// Closes all files from a number on.
    fn close_from(first: c_int) {
        #[cfg(target_os = "linux")]
        // SAFETY: these are numbers, and who calls uses none of these files.
        if unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, 0) } == 0 {
            return;
        }
        /// No process of ours has as many files open.
        const MOST: libc::c_long = 1 << 16;
        // SAFETY: as above.
        unsafe {
            let most = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, MOST);
            for file in first..most as c_int {
                libc::close(file);
            }
        }
    }

    /// Removes the files of a folder, and the folder.
    fn clear(folder: &CStr) {
        // SAFETY: the names end with zeros, and the folder is open until it is closed.
        unsafe {
            let open = libc::opendir(folder.as_ptr());
            if open.is_null() {
                return;
            }
            loop {
                let entry = libc::readdir(open);
                if entry.is_null() {
                    break;
                }
                libc::unlinkat(libc::dirfd(open), (*entry).d_name.as_ptr(), 0);
            }
            libc::closedir(open);
            libc::rmdir(folder.as_ptr());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn what_a_command_prints_is_kept_and_bounded() {
        let ended = run(shell("echo one; echo two >&2"), true, None, None).expect("it starts");
        let ended = ended.expect("an end");
        assert_eq!((ended.status.code(), &*ended.printed), (Some(0), &b"one\ntwo\n"[..]));
        let text = "echo one; echo two >&2; exit 3";
        let ended = run(shell(text), false, None, None).expect("it starts").expect("an end");
        assert_eq!((&*ended.printed, &*ended.how()), (&b"one\n"[..], "ended with exit code 3"));
        let text = "head -c 3000000 /dev/zero";
        let ended = run(shell(text), false, None, None).expect("it starts").expect("an end");
        assert_eq!((ended.status.code(), ended.printed.len()), (Some(0), MOST_PRINTED));
        let text = "kill -11 $$";
        let ended = run(shell(text), false, None, None).expect("it starts").expect("an end");
        assert_eq!(ended.how(), "was ended by signal 11");
        assert!(run(Command::new("/nowhere/cc"), true, None, None).is_err());
    }

    #[test]
    fn what_a_command_has_started_ends_with_it_and_with_its_time() {
        let started = Instant::now();
        let number = |printed: &[u8]| -> libc::pid_t {
            String::from_utf8_lossy(printed).trim().parse().expect("a number")
        };
        let is_there = |process: libc::pid_t| {
            // A process that has just been killed may take its time, and stay as a name until somebody asks for its end.
            (0..100).all(|_| {
                std::thread::sleep(Duration::from_millis(10));
                let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
                let is_name = stat.is_ok_and(|stat| stat.contains(") Z"));
                // SAFETY: signal 0 only asks.
                !is_name && unsafe { libc::kill(process, 0) == 0 }
            })
        };
        let text = "sleep 1000 & echo $!";
        let ended = run(shell(text), true, None, None).expect("it starts").expect("an end");
        assert!(!is_there(number(&ended.printed)));
        let folder = std::env::temp_dir().join(format!("guard-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("file"), "").expect("a file");
        let list = folder.with_extension("list");
        let text = format!("sleep 1000 & echo $! > '{}'; wait", list.display());
        let until = Instant::now() + Duration::from_millis(300);
        let ended = run(shell(&text), true, Some(&folder), Some(until)).expect("it starts");
        assert!(ended.is_none());
        assert!(!is_there(number(&std::fs::read(&list).expect("a file"))));
        assert!(!folder.exists());
        std::fs::remove_file(list).expect("it is ours");
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}
