import { flags, type Program } from './program.ts'

/**
 * A script can run (`e`, `s///e`) and write (`w`): `--sandbox` makes the program refuse such a script. `-i` writes, `-f`
 * reads a script.
 */
export const sedProgram: Program = {
  names: ['sed'],
  runsText: /(?:^|[\s;{}0-9$/!])e(?:\s|$)|[^\w\s][A-Za-z0-9]*e[A-Za-z0-9]*\s*(?:$|[;}\n])/,
  flags: flags(
    '-# -e= -E -n -r -s -u -z --expression= --quiet --silent --regexp-extended --separate',
    '--unbuffered --null-data --posix --debug --sandbox',
  ),
  printed: () => ({ before: ['--sandbox'], after: 0, behind: [] }),
}
