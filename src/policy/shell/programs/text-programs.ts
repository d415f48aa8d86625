import { maxOperands, flags, type Program } from './program.ts'
import { sedProblem } from './sed-script.ts'

/** Programs that print, search, sort and rearrange text. */
export const textPrograms: readonly Program[] = [
  {
    names: ['cat', 'tac'],
    reads: { from: 0 },
    readsInput: true,
    flags: flags(
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number',
      '--squeeze-blank --show-tabs --show-nonprinting',
    ),
  },
  {
    names: ['head', 'tail'],
    reads: { from: 0 },
    readsInput: true,
    flags: flags(
      '-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated',
    ),
  },
  {
    names: ['wc'],
    reads: { from: 0 },
    readsInput: true,
    flags: flags('-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total='),
  },
  {
    names: ['nl', 'rev', 'fold', 'expand', 'unexpand', 'fmt', 'column'],
    reads: { from: 0 },
    readsInput: true,
    flags: flags(
      '-a -b= -c= -d= -f= -h= -i= -l= -n= -p -s= -t -v= -w= --body-numbering=',
      '--number-format= --number-width= --spaces --tabs= --width= --table',
    ),
  },
  {
    names: ['od', 'hexdump', 'strings'],
    reads: { from: 0 },
    flags: flags(
      '-A= -a -b -c -d -e= -f -i -j= -l -n= -N= -o -s -S= -t= -v -w? -x -C --address-radix=',
      '--endian= --skip-bytes= --read-bytes= --format= --output-duplicates --all --bytes=',
      '--radix= --encoding= --print-file-name',
    ),
    // `strings @file` reads further options and names of files from it, in any place.
    refuses: (words) =>
      words.some((word) => word.startsWith('@')) ? 'reads options from a file' : null,
  },
  // `echo` prints every word that it does not know as a flag.
  {
    names: ['echo'],
    isFlag: /^-[neE]+$/,
    flags: flags('-n -e -E'),
  },
  // The program, not the builtin, whose `-v` sets a variable and may run its index.
  {
    names: ['printf'],
    flags: flags(),
  },
  {
    names: ['seq', 'expr', 'factor'],
    flags: flags('-f= -s= -w --format= --separator= --equal-width'),
  },
  {
    names: ['grep', 'egrep', 'fgrep'],
    reads: { from: 1, allWith: ['-e', '-f', '--regexp', '--file'] },
    searchesFolder: ['-r', '-R', '--recursive', '--dereference-recursive', '-d', '--directories'],
    flags: flags(
      '-# -A= -B= -C= -E -F -G -H -I -L -P -R -T -U -Z -a -b -c -d= -D= -e= -f=path -h -i -l',
      '-m= -n -o -q -r -s -v -w -x -y -z --after-context= --before-context= --context=',
      '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=path',
      '--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count',
      '--color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename',
      '--label= --line-number --initial-tab --null --text --binary-files= --devices=',
      '--directories= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --null-data',
    ),
  },
  // `--pre`, `--hostname-bin` and `--search-zip` run programs, and its configuration file may set
  // them.
  {
    names: ['rg'],
    reads: { from: 1, allWith: ['-e', '-f', '--regexp', '--files'] },
    searchesFolder: true,
    runsOption: /^--(?:pre|hostname-bin)(?:=|$)/,
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
    safeArguments: () => ({ leading: ['--no-config', '--no-pre'], insertAt: 0, inserted: [] }),
  },
  {
    names: ['cut'],
    reads: { from: 0 },
    readsInput: true,
    flags: flags(
      '-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement',
      '--only-delimited --output-delimiter= --zero-terminated',
    ),
  },
  {
    names: ['tr'],
    readsInput: true,
    flags: flags('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1'),
  },
  {
    names: ['comm', 'join', 'paste'],
    reads: { from: 0 },
    flags: flags(
      '-1 -2 -3 -a= -d= -e= -i -j= -o= -s -t= -v= -z --check-order --nocheck-order',
      '--output-delimiter= --zero-terminated --header --serial --delimiters= --ignore-case',
    ),
  },
  // `-l` of `diff` runs `pr`, a fixed program; `--to-file` and the like are not listed.
  {
    names: ['diff', 'cmp'],
    reads: { from: 0 },
    flags: flags(
      '-# -a -b -B -c -C= -d -e -E -i -I= -l -n -N -p -q -r -s -t -T -u -U= -w -W= -x= -y -Z',
      '--brief --color? --context? --exclude= --ignore-all-space --ignore-blank-lines',
      '--ignore-case --ignore-matching-lines= --ignore-space-change --ignore-trailing-space',
      '--label= --minimal --new-file --no-dereference --normal --recursive --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified? --width= --quiet --silent --bytes=',
      '--print-bytes --verbose',
    ),
  },
  // `-o` writes, `--compress-program` runs, `-T` says where it writes.
  {
    names: ['sort'],
    reads: { from: 0 },
    readsInput: true,
    runsOption: /^--co/,
    flags: flags(
      '-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -t= -u -V -z --check? --dictionary-order',
      '--field-separator= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --key= --merge --month-sort --numeric-sort',
      '--random-sort --reverse --sort= --stable --unique --version-sort --zero-terminated',
    ),
  },
  // Its second operand is a file that it writes.
  {
    names: ['uniq'],
    reads: { from: 0, to: 1 },
    readsInput: true,
    flags: flags(
      '-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --skip-fields=',
      '--ignore-case --skip-chars= --unique --check-chars= --zero-terminated --group?',
    ),
    operands: maxOperands(1),
  },
  // A script can run (`e`, `s///e`), write (`w`) and read (`r`). `-i` writes, `-f` reads a script.
  {
    names: ['sed'],
    reads: { from: 1, allWith: ['-e', '--expression'] },
    // The flags of `s` are read once: nested repetitions would take minutes for a long script.
    runsText: /(?:^|[\s;{}0-9$/!])e(?:\s|$)|[^\w\s](?=[A-Za-z0-9]*e)[A-Za-z0-9]*\s*(?:$|[;}\n])/,
    flags: flags(
      '-# -e= -E -n -r -s -u -z --expression= --quiet --silent --regexp-extended --separate',
      '--unbuffered --null-data --posix --debug --sandbox',
    ),
    refuses: sedProblem,
    safeArguments: () => ({ leading: ['--sandbox'], insertAt: 0, inserted: [] }),
  },
  // `-f`, `-L` and the flags that read further files are not listed; a script can read some too.
  {
    names: ['jq'],
    refuses: (words) =>
      // Imports stand at the start of a script; how far a comment goes differs by release.
      words.some((word) => /^\s*(?:#[^]*)?\b(?:module|import|include)\b|modulemeta/.test(word))
        ? 'may read a module or a file'
        : null,
    reads: { from: 1, unclearWith: ['--arg', '--argjson', '--args', '--indent', '--jsonargs'] },
    flags: flags(
      '-a -c -C -e -j -M -n -r -R -s -S --arg --argjson --args --ascii-output --color-output',
      '--compact-output --exit-status --indent= --join-output --jsonargs --monochrome-output',
      '--null-input --raw-input --raw-output --seq --slurp --sort-keys --stream --tab',
    ),
  },
]
