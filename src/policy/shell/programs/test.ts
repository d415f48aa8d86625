import { flags, type Program } from './program.ts'

/** The program, not the builtin, whose `-v` evaluates what it is given. */
export const testProgram: Program = {
  names: ['test', '['],
  flags: flags(
    '-a -o -b -c -d -e -f -g -G -h -k -L -n -N -O -p -r -s -S -t -u -w -x -z -eq -ne -lt',
    '-le -gt -ge -nt -ot -ef',
  ),
  wordFlags: true,
}
