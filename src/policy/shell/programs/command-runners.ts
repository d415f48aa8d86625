import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

const spelledOut = {
  flags: flags('--version'),
  runs: 'command',
  spellOut: 'all',
} as const

/** Programs that run the command in their arguments. */
export const commandRunners: readonly Program[] = [
  // Programs and shell words that run the command after them; some words are those of zsh and fish,
  // in which a hooked agent may run its commands.
  {
    names: words(`
      time command exec builtin setsid stdbuf ionice chrt taskset unshare nsenter chroot strace
      ltrace gdb busybox toybox flock caffeinate catchsegv prlimit setpriv setarch ssh-agent
      run-parts dbus-launch choom numactl cpulimit capsh run0 systemd-run start-stop-daemon
      firejail proot fakeroot gosu su-exec tini dumb-init unbuffer rlwrap dbus-run-session
      xvfb-run valgrind perf chronic faketime direnv mise asdf pyenv rbenv ld.so ld-linux.so.2
      ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 eatmydata trickle proxychains proxychains4
      torsocks torify tsocks mosh sshpass autossh sg newgrp runcon schroot systemd-nspawn
      systemd-inhibit bwrap nsjail daemonize dtach abduco zellij xterm x-terminal-emulator
      konsole alacritty kitty foot gnome-terminal nix-shell dotenv envchain cross-env
      concurrently nodemon watchexec onchange foreman honcho ccache sccache distcc bear
      scan-build rr heaptrack uftrace mpirun mpiexec srun sem pdsh pssh coproc then do else if while until !
      begin and or not - noglob nocorrect repeat zargs zpty sched
      uclampset coresched setpgid pipesz enosys scriptlive lckdo ifne zrun cgexec chpst softlimit
      setuidgid envuidgid envdir setlock systemd-cat systemd-socket-activate fakechroot catatonit tsp
      nq xcrun sandbox-exec flatpak-spawn host-spawn distrobox toolbox lxc lxc-attach incus vagrant
      multipass`),
    flags: null,
    runs: 'command',
    spellOut: 'all',
  },
  // `-S` splits a text into a command, and assignments can change what any program does: it is a
  // wrapper only without either.
  {
    names: ['env'],
    flags: null,
    runs: 'command',
    wraps: flags(''),
  },
  {
    names: ['nice'],
    flags: null,
    runs: 'command',
    wraps: flags('-# -n= --adjustment='),
  },
  {
    names: ['nohup'],
    flags: null,
    runs: 'command',
    wraps: flags(''),
  },
  {
    names: ['timeout'],
    flags: null,
    runs: 'command',
    wraps: flags('-k= -s= -v --foreground --kill-after= --preserve-status --signal= --verbose'),
    wrapsAfter: 1,
  },
  {
    names: ['sudo', 'doas', 'su', 'runuser', 'pkexec'],
    flags: null,
    runs: 'command',
    neverReason: 'acts as somebody else',
  },
  {
    names: ['xargs', 'parallel'],
    flags: null,
    runs: 'command',
    takesInputWords: true,
    neverReason: 'runs a command with words that are not known yet',
  },
  // Programs that run a project's command by its name: the rule must spell out every operand.
  {
    names: words('npm npx pnpm pnpx yarn bunx corepack poetry bundle composer mvn gradle rake tox'),
    ...spelledOut,
  },
  // Programs whose operands nearly all install, build or change something.
  {
    names: words('pip pip3 pipx uv uvx cargo go gem dotnet docker podman helm terraform'),
    allowsMore: true,
    ...spelledOut,
  },
]
