import { flags, type Program } from './program.ts'

export const checksumProgram: Program = {
  names: [
    'sha256sum',
    'sha1sum',
    'sha512sum',
    'sha384sum',
    'sha224sum',
    'b2sum',
    'md5sum',
    'cksum',
    'sum',
  ],
  flags: flags(
    '-a= -b -c -l= -t -w -z -r -s --algorithm= --binary --check --length= --tag --text',
    '--zero --ignore-missing --quiet --status --strict --warn',
  ),
}
