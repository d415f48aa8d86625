import { words } from '../../names/words.ts'
import type { Program } from './program.ts'

const spelledOut = { flags: null, spellOut: 'all' } as const

/** Programs that run the value of one of their options. */
export const optionRunners: readonly Program[] = [
  { names: ['rsync'], runsOption: /^-[A-Za-z]*e|^--rs/, ...spelledOut },
  { names: ['scp', 'sftp'], runsOption: /^-[A-Za-z]*[SoD]/, ...spelledOut },
  {
    names: words('nc ncat netcat socat'),
    runsOption: /^-[A-Za-z]*[ce]|^--(?:exec|sh-exec|lua-exec)|^(?:exec|system|shell):/i,
    ...spelledOut,
  },
  { names: ['split'], runsOption: /^--f/, ...spelledOut },
  { names: ['zip'], runsOption: /^-[A-Za-z]*TT|^--u/, ...spelledOut },
  { names: ['install'], runsOption: /^--strip-/, ...spelledOut },
  { names: ['tcpdump'], runsOption: /^-[A-Za-z]*z/, ...spelledOut },
  { names: ['hg'], runsOption: /^--(?:conf|ssh|remotec)|^-e(?:$|.*\s)/, ...spelledOut },
  { names: ['svn'], runsOption: /^--(?:conf|editor-c|diff-c|diff3-c)/, ...spelledOut },
  { names: ['cvs'], runsOption: /^-[A-Za-z]*[ed]/, ...spelledOut },
  { names: ['gpg', 'gpg2', 'gpgsm'], runsOption: /^--(?:photo|[a-z]+-program)/, ...spelledOut },
  { names: ['aria2c'], runsOption: /^--on-/, ...spelledOut },
  { names: ['lynx'], runsOption: /^--?editor/, ...spelledOut },
  { names: ['w3m'], runsOption: /^-(?:o|config)/, ...spelledOut },
  { names: ['mutt', 'neomutt'], runsOption: /^-[A-Za-z]*e/, ...spelledOut },
  { names: words('gcc g++ cc c++ clang clang++'), runsOption: /^-wrapper/, ...spelledOut },
  { names: ['fzf'], runsOption: /^--(?:preview|bind|with-shell)(?:=|$)/, ...spelledOut },
  { names: ['lftp'], runsOption: /^-[A-Za-z]*[ec]/, ...spelledOut },
  { names: ['rclone'], runsOption: /^--(?:[a-z-]*command|sftp-ssh)/, ...spelledOut },
  { names: ['borg'], runsOption: /^--(?:rsh|remote-path)/, ...spelledOut },
  { names: words('apt apt-get aptitude'), runsOption: /^-[A-Za-z]*o|^--o/, ...spelledOut },
  { names: ['dpkg'], runsOption: /^--(?:pre-i|post-i|status-l)/, ...spelledOut },
]

/** Programs that run the words after one of their options or subcommands. */
export const subcommandRunners: readonly Program[] = [
  { names: ['fd'], runsAfter: /^-[A-Za-z]*[xX]|^--exec/, ...spelledOut },
  { names: ['gpg-agent'], runsAfter: /^--daemon/, ...spelledOut },
  { names: ['ip'], runsAfter: /^ex/, ...spelledOut },
  { names: ['cmake'], runsAfter: /^-E$/, ...spelledOut },
  {
    names: words(`
      conda mamba micromamba pipenv hatch pdm rye rustup volta op doppler dotenvx pixi fnm nvm
      opam chamber aws-vault machinectl nix guix`),
    runsAfter: /^(?:run|exec|x|shell|develop|environment|time-machine)$/,
    ...spelledOut,
  },
  { names: ['crontab'], ...spelledOut, runs: 'script' },
]
