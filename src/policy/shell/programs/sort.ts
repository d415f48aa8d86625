import { flags, type Program } from './program.ts'

/** `-o` writes, `--compress-program` runs, `-T` says where it writes. */
export const sortProgram: Program = {
  names: ['sort'],
  runsText: /^--co/,
  flags: flags(
    '-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -t= -u -V -z --check? --dictionary-order',
    '--field-separator= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --key= --merge --month-sort --numeric-sort',
    '--random-sort --reverse --sort= --stable --unique --version-sort --zero-terminated',
  ),
}
