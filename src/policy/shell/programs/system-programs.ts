import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

const transfers = {
  flags: null,
  neverReason: 'talks to other hosts, and reads and writes files by many of its options',
} as const

/** Programs about the machine and the shell, and those that connect to other hosts. */
export const systemPrograms: readonly Program[] = [
  // `-s` and a bare operand set the clock, `-f` prints the lines of a file.
  {
    names: ['date'],
    flags: flags(
      '-I -u -R -d= --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal -r=path',
      '--reference=path',
    ),
    operands: (operands) =>
      operands.every((operand) => operand.startsWith('+'))
        ? null
        : 'has an operand that sets the clock',
  },
  {
    names: ['ps', 'uptime', 'free'],
    flags: flags(
      '-a -A -d -e -f -F -l -j -o= -p= -u= -U= -w -x -h -b -k -m -g -s -V -t --forest --sort=',
      '--no-headers --pid= --user=',
    ),
  },
  {
    names: ['pwd'],
    flags: flags('-L -P --logical --physical'),
    readsFolder: true,
  },
  {
    names: ['true', 'false'],
    flags: flags(),
  },
  {
    names: ['uname', 'arch', 'nproc', 'whoami', 'id', 'groups', 'logname', 'tty'],
    flags: flags(
      '-a -s -n -r -v -m -p -i -o -u -g -G -z --all --kernel-name --nodename --kernel-release',
      '--machine --operating-system --user --group --groups --name --ignore= --silent',
    ),
  },
  {
    names: ['which'],
    flags: flags('-a'),
  },
  { names: ['curl'], ...transfers },
  { names: ['wget'], runsOption: /^--use-a|^--exe|^-[A-Za-z]*e/, ...transfers },
  // Builtins with an effect on the shell itself: no program can replace them.
  {
    names: ['bind', 'compgen', 'complete', 'mapfile', 'readarray'],
    neverReason: 'changes or asks the shell itself',
    runsOption: /^-[A-Za-z]*[CFx]/,
    flags: null,
  },
  {
    names: words(`
      : bg break caller cd compopt continue declare dirs disown enable exit export fc fg getopts
      hash help history jobs let local logout popd pushd read readonly return set shift shopt
      suspend times type typeset ulimit umask unalias unset wait`),
    neverReason: 'changes or asks the shell itself',
    flags: null,
  },
]
