import { spawnSync } from 'node:child_process'

/** Whether commands find a Python that can make any system call. */
export const hasPython =
  spawnSync('/usr/bin/python3', ['-c', 'import ctypes'], { stdio: 'ignore' }).status === 0
if (!hasPython) {
  console.warn('The attacks by system calls are skipped: python3 with ctypes is not installed.')
}

/** Begins a script: `call(number, …)` is 'done' or the name of its error. */
export const pythonCalls = `import ctypes, errno, fcntl, json, mmap, os, platform, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == 'x86_64'
def word(value):
    return ctypes.c_char_p(value) if isinstance(value, bytes) else ctypes.c_long(value)
def call(number, *arguments):
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(number), *[word(one) for one in arguments])
    return 'done' if answer >= 0 else errno.errorcode[ctypes.get_errno()]
`
