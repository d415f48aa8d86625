import type { SystemCall } from './system-calls.ts'

/** The errors of refused calls. */
export const errors = {
  EPERM: 1,
  EINVAL: 22,

  ENOSYS: 38,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
} as const

export type ErrorName = keyof typeof errors

/** Calls that are refused for all arguments. */
export const refusedCalls: Readonly<Partial<Record<ErrorName, readonly SystemCall[]>>> = {
  EPERM: [
    // Keyrings belong to a user of the host, not to a sandbox.
    'add_key',
    'keyctl',
    'request_key',
    // Access to other processes.
    'kcmp',
    'pidfd_getfd',
    'process_madvise',
    'process_vm_readv',
    'process_vm_writev',
    'ptrace',
    // Programs for the kernel, and observers of it.
    'bpf',
    'fanotify_init',
    'lookup_dcookie',
    'perf_event_open',
    'syslog',
    'userfaultfd',
    // Mounts and namespaces. (`unshare` and `clone` are judged by their flags.)
    'chroot',
    'fsconfig',
    'fsmount',
    'fsopen',
    'fspick',
    'mount',
    'mount_setattr',
    'move_mount',
    'open_tree',
    'pivot_root',
    'setns',
    'umount2',
    // Files by a handle, without the folders that lead to them.
    'name_to_handle_at',
    'open_by_handle_at',
    // The machine itself.
    'acct',
    'clock_settime',
    'delete_module',
    'finit_module',
    'init_module',
    'ioperm',
    'iopl',
    'kexec_file_load',
    'kexec_load',
    'modify_ldt',
    'nfsservctl',
    'quotactl',
    'quotactl_fd',
    'reboot',
    'setdomainname',
    'sethostname',
    'settimeofday',
    'swapoff',
    'swapon',
    'vhangup',
  ],
  // Their arguments are in memory, where no filter can read them: programs use the older call
  // instead.
  ENOSYS: [
    'clone3',
    'io_uring_enter',
    'io_uring_register',
    'io_uring_setup',
    'memfd_secret',
    'openat2',
  ],
  // Allocated space without written bytes is not counted: programs write zeros instead.
  EOPNOTSUPP: ['fallocate'],
}

/** Refused as well where no control group counts memory that cannot be measured from outside. */
export const refusedUncounted: Readonly<Partial<Record<ErrorName, readonly SystemCall[]>>> = {
  ENOSYS: ['memfd_create'],
}

/** `CLONE_NEW…` except `CLONE_NEWTIME`, whose bit is part of a signal's number in `clone`. */
const newNamespaces = 0x7e020000
const newTimeNamespace = 0x80

const setIdBits = 0o6000
const O_CREAT = 0o100
/** without the bit of `O_DIRECTORY` that the constant of C has */
const O_TMPFILE = 0o20000000

const AF_NETLINK = 16
/** local sockets and the two internet families */
const families = [1, 2, 10]

/** A test of the lower 32 bits of one argument, or of its upper ones. The kernel uses no more. */
export interface ArgumentTest {
  readonly argument: number
  readonly upper?: true
  /** `any`: one of these bits; `in`, `out`: one or none of these values; `from`: at least this */
  readonly is:
    | { readonly any: number }
    | { readonly in: readonly number[] }
    | { readonly out: readonly number[] }
    | { readonly from: number }
}

/** A call that is refused when all its tests hold. */
export interface JudgedCall {
  readonly call: SystemCall
  readonly error: ErrorName
  readonly when: readonly ArgumentTest[]
}

function setsId(call: SystemCall, argument: number, flags: number | null = null): JudgedCall {
  const mode: ArgumentTest = { argument, is: { any: setIdBits } }
  // Without these flags there is no mode: the register has an arbitrary value.
  const makes: ArgumentTest[] =
    flags === null ? [] : [{ argument: flags, is: { any: O_CREAT | O_TMPFILE } }]
  return { call, error: 'EPERM', when: [...makes, mode] }
}

/** `ioctl` commands that insert characters into a terminal. */
const terminalInput = [0x5412, 0x541c]
/** `FS_IOC_RESVSP`, `FS_IOC_RESVSP64`, `FS_IOC_ZERO_RANGE`: `fallocate` by other names. */
const preallocation = [0x40305828, 0x4030582a, 0x40305839]

export const judgedCalls: readonly JudgedCall[] = [
  { call: 'clone', error: 'EPERM', when: [{ argument: 0, is: { any: newNamespaces } }] },
  {
    call: 'unshare',
    error: 'EPERM',
    when: [{ argument: 0, is: { any: newNamespaces | newTimeNamespace } }],
  },
  // glibc lists network interfaces over netlink, and Node throws without it: only routing (0) is
  // allowed.
  {
    call: 'socket',
    error: 'EAFNOSUPPORT',
    when: [{ argument: 0, is: { out: [...families, AF_NETLINK] } }],
  },
  {
    call: 'socket',
    error: 'EAFNOSUPPORT',
    when: [
      { argument: 0, is: { in: [AF_NETLINK] } },
      { argument: 2, is: { out: [0] } },
    ],
  },
  { call: 'socketpair', error: 'EAFNOSUPPORT', when: [{ argument: 0, is: { out: families } }] },
  { call: 'ioctl', error: 'EPERM', when: [{ argument: 1, is: { in: terminalInput } }] },
  { call: 'ioctl', error: 'EOPNOTSUPP', when: [{ argument: 1, is: { in: preallocation } }] },
  setsId('chmod', 1),
  setsId('fchmod', 1),
  setsId('fchmodat', 2),
  setsId('fchmodat2', 2),
  setsId('creat', 1),
  setsId('mkdir', 1),
  setsId('mkdirat', 2),
  setsId('mknod', 1),
  setsId('mknodat', 2),
  setsId('open', 2, 1),
  setsId('openat', 3, 2),
]

/** With this bound 4,096 segments of System V's shared memory take 256 MiB. */
const maxSegmentBytes = 64 * 1024

/** Refused as well where no control group counts the memory of the sandbox. */
export const judgedUncounted: readonly JudgedCall[] = [
  { call: 'shmget', error: 'EINVAL', when: [{ argument: 1, is: { from: maxSegmentBytes + 1 } }] },
  { call: 'shmget', error: 'EINVAL', when: [{ argument: 1, upper: true, is: { from: 1 } }] },
]
