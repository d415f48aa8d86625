import { flags, type Program } from './program.ts'

/** `-f`, `-L` and the flags that read further files are not listed. */
export const jqProgram: Program = {
  names: ['jq'],
  flags: flags(
    '-a -c -C -e -j -M -n -r -R -s -S --arg --argjson --args --ascii-output --color-output',
    '--compact-output --exit-status --indent= --join-output --jsonargs --monochrome-output',
    '--null-input --raw-input --raw-output --seq --slurp --sort-keys --stream --tab',
  ),
}
