import { flags, type Program } from './program.ts'

export const grepProgram: Program = {
  names: ['grep', 'egrep', 'fgrep'],
  flags: flags(
    '-# -A= -B= -C= -E -F -G -H -I -L -P -R -T -U -Z -a -b -c -d= -D= -e= -f=path -h -i -l',
    '-m= -n -o -q -r -s -v -w -x -y -z --after-context= --before-context= --context=',
    '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=path',
    '--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count',
    '--color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename',
    '--label= --line-number --initial-tab --null --text --binary-files= --devices=',
    '--directories= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --null-data',
  ),
}
