import { words } from '../../names/words.ts'
import type { Program } from './program.ts'

const spelledOut = { flags: null, spellOut: 'all' } as const

/** Programs that run the text of one of their options. */
export const optionRunners: readonly Program[] = [
  { names: ['fd'], runsText: /^-[A-Za-z]*[xX]|^--exec/, ...spelledOut },
  { names: ['rsync'], runsText: /^-[A-Za-z]*e|^--rs/, ...spelledOut },
  { names: ['scp', 'sftp'], runsText: /^-[A-Za-z]*[SoDP]/, ...spelledOut },
  {
    names: words('nc ncat netcat socat'),
    runsText: /^-[A-Za-z]*[ce]|^--(?:exec|sh-exec|lua-exec)|^(?:exec|system|shell):/i,
    ...spelledOut,
  },
  { names: ['split'], runsText: /^--f/, ...spelledOut },
  { names: ['zip'], runsText: /^-[A-Za-z]*TT|^--u/, ...spelledOut },
  { names: ['install'], runsText: /^--strip-/, ...spelledOut },
  { names: ['tcpdump'], runsText: /^-[A-Za-z]*z/, ...spelledOut },
  { names: ['hg', 'svn'], runsText: /^--conf|^-[A-Za-z]*e/, ...spelledOut },
  { names: ['cvs'], runsText: /^-[A-Za-z]*[ed]/, ...spelledOut },
  { names: ['gpg', 'gpg2', 'gpgsm'], runsText: /^--(?:photo|[a-z]+-program)/, ...spelledOut },
  { names: ['gpg-agent'], runsText: /^--daemon/, ...spelledOut },
  { names: ['aria2c'], runsText: /^--on-/, ...spelledOut },
  { names: ['lynx', 'w3m', 'mutt', 'neomutt'], runsText: /^-/, ...spelledOut },
  { names: words('gcc g++ cc c++ clang clang++'), runsText: /^-wrapper/, ...spelledOut },
  { names: ['ip'], runsText: /^ex/, ...spelledOut },
  { names: ['crontab'], ...spelledOut, runs: 'script' },
]
