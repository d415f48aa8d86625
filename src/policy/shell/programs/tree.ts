import { flags, type Program } from './program.ts'

/** `-o` writes, `-R` runs the program anew and writes. */
export const treeProgram: Program = {
  names: ['tree'],
  flags: flags(
    '-a -d -f -F -g -h -i -I= -J -l -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x -X',
    '--dirsfirst --du --filelimit= --gitignore --ignore-case --matchdirs --noreport --prune',
    '--si --sort= --timefmt=',
  ),
}
