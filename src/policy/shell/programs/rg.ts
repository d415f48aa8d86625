import { flags, type Program } from './program.ts'

/** `--pre`, `--hostname-bin` and `--search-zip` run programs, and its configuration file may give them. */
export const rgProgram: Program = {
  names: ['rg'],
  runsText: /^--(?:pre|hostname-bin)/,
  flags: flags(
    '-# -A= -B= -C= -E= -F -H -I -L -M= -N -P -S -U -a -c -e= -f=path -g= -h -i -j= -l -m=',
    '-n -o -p -q -r= -s -t= -T= -u -uu -uuu -v -w -x -0 --after-context= --before-context=',
    '--context= --case-sensitive --color= --colors= --column --count --count-matches --crlf',
    '--debug --encoding= --files --files-with-matches --files-without-match --fixed-strings',
    '--glob= --iglob= --heading --no-heading --hidden --ignore-case --invert-match --json',
    '--line-number --no-line-number --line-regexp --max-columns= --max-count= --max-depth=',
    '--max-filesize= --multiline --no-config --no-filename --no-ignore --no-messages --null',
    '--only-matching --pcre2 --pretty --quiet --regexp= --replace= --smart-case --sort=',
    '--sortr= --stats --text --threads= --trim --type= --type-list --type-not=',
    '--unrestricted --vimgrep --with-filename --word-regexp',
  ),
  printed: () => ({ before: ['--no-config', '--no-pre'], after: 0, behind: [] }),
}
