/** The processors that the filter supports; elsewhere there is no sandbox. */
export const architectures = ['x64', 'arm64'] as const
export type Architecture = (typeof architectures)[number]

/**
 * The number of each system call on x64 and on arm64 (`null`: it does not exist there), from the
 * kernel's own tables.
 */
const systemCalls = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chmod: [90, null],
  chroot: [161, 51],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  creat: [85, null],
  delete_module: [176, 106],
  fallocate: [285, 47],
  fanotify_init: [300, 262],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  mkdir: [83, null],
  mkdirat: [258, 34],
  mknod: [133, null],
  mknodat: [259, 33],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open: [2, null],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [x64: number, arm64: number | null]>>

export type SystemCall = keyof typeof systemCalls

/** Calls after this one (Linux 6.10) are unknown here, so they do not exist in the sandbox. */
export const newestSystemCall = 462

/** `null`: this architecture does not have it. */
export function numberOf(call: SystemCall, architecture: Architecture): number | null {
  return systemCalls[call][architectures.indexOf(architecture)] ?? null
}
