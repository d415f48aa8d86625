import { flags, type Program } from './program.ts'

export const psProgram: Program = {
  names: ['ps', 'uptime', 'free'],
  flags: flags(
    '-a -A -d -e -f -F -l -j -o= -p= -u= -U= -w -x -h -b -k -m -g -s -V -t --forest --sort=',
    '--no-headers --pid= --user=',
  ),
}
