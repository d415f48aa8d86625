import { flags, type Program } from './program.ts'

/** `-l` of `diff` runs `pr`, a fixed program; `--to-file` and the like are not listed. */
export const diffProgram: Program = {
  names: ['diff', 'cmp'],
  flags: flags(
    '-# -a -b -B -c -C= -d -e -E -i -I= -l -n -N -p -q -r -s -t -T -u -U= -w -W= -x= -y -Z',
    '--brief --color? --context? --exclude= --ignore-all-space --ignore-blank-lines',
    '--ignore-case --ignore-matching-lines= --ignore-space-change --ignore-trailing-space',
    '--label= --minimal --new-file --no-dereference --normal --recursive --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified? --width= --quiet --silent --bytes=',
    '--print-bytes --verbose',
  ),
}
