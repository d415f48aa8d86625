import { maxOperands, flags, onlyWith, type Subcommand } from './program.ts'

const pretty =
  '--abbrev? --abbrev-commit --no-abbrev --no-abbrev-commit --oneline --pretty? --format= --date= --decorate? --no-decorate --encoding= --graph --no-graph --color? --no-color --notes? --no-notes --show-notes? --expand-tabs? --no-expand-tabs --parents --children --left-right --cherry-mark'

const limits =
  '-# -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent --all --branches? --tags? --remotes? --glob= --exclude= --reverse --topo-order --date-order --author-date-order --ancestry-path? --boundary --cherry --cherry-pick --left-only --right-only --no-walk? --walk-reflogs -g --simplify-by-decoration --full-history --dense --sparse --follow --count --stdin --ignore-missing'

const diffs =
  '-p -u --patch -s --no-patch -U= --unified= --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm= --stat? --compact-summary --numstat --shortstat --dirstat? --summary --patch-with-stat -z --name-only --name-status --word-diff? --word-diff-regex= --color-words? --color-moved? --no-color-moved --no-renames --rename-empty --check --full-index --binary -B -M -C -D -l= -S= -G= --pickaxe-regex --pickaxe-all -R --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines --inter-hunk-context= -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --no-prefix --src-prefix= --dst-prefix= --find-renames? --find-copies? --find-copies-harder --break-rewrites? --irreversible-delete --diff-filter= -m -c --cc --diff-merges= -t --root -r --cached --staged --merge-base --no-index'

/** With one of these it lists names; otherwise it creates one. */
const listing = [
  '-l',
  '--list',
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
]

/** Git's own commands, which no alias replaces, and harmless flags; `null`: any flag asks. */
export const gitSubcommands: Readonly<Record<string, Subcommand>> = {
  add: { flags: null, writes: true },
  annotate: { flags: null },
  apply: { flags: null, writes: true },
  blame: {
    flags: flags(
      '-b -c -e -f -l -L= -n -p -s -t -w --porcelain --line-porcelain --incremental --root --show-email --show-name --show-number --since= --date= --first-parent --color-lines --color-by-age --no-progress',
    ),
  },
  branch: {
    flags: flags(
      '-a -r -v -vv -l --all --remotes --list --verbose --show-current --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --color? --no-color --column? --no-column --abbrev= --no-abbrev -i --ignore-case',
    ),
    refuses: onlyWith(listing, 'would make a branch'),
  },
  'cat-file': { flags: flags('-e -p -s -t') },
  'check-ignore': { flags: flags('-q -v -n -z --quiet --verbose --non-matching --no-index') },
  checkout: { flags: null, writes: true },
  cherry: { flags: flags('-v --abbrev?') },
  'cherry-pick': { flags: null, writes: true },
  clean: { flags: null, writes: true },
  commit: { flags: null, writes: true },
  'count-objects': { flags: flags('-v -H --verbose --human-readable') },
  describe: {
    flags: flags(
      '--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty? --broken?',
    ),
  },
  diff: { flags: flags(diffs, pretty) },
  'diff-tree': { flags: flags(diffs, pretty, '-v --no-commit-id --always') },
  'for-each-ref': {
    flags: flags(
      '--count= --sort= --format= --color? --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --exclude=',
    ),
  },
  grep: {
    flags: flags(
      '-# -A= -B= -C= -E -F -G -H -I -L -P -W -a -c -e= -f=path -h -i -l -m= -n -o -p -q -r -v -w -z --after-context= --before-context= --context= --extended-regexp --basic-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --count --color? --no-color --column --line-number --files-with-matches --files-without-match --name-only --null --only-matching --quiet --heading --break --show-function --function-context --max-depth= --max-count= --recursive --no-recursive --cached --untracked --no-index --all-match --and --or --not --text --full-name --threads=',
    ),
  },
  init: { flags: null, writes: true },
  log: {
    flags: flags(
      limits,
      diffs,
      pretty,
      '-L= --decorate-refs= --decorate-refs-exclude= --source --use-mailmap --mailmap --log-size',
    ),
  },
  'ls-files': {
    flags: flags(
      '-c -d -i -k -m -o -s -t -u -v -z --cached --deleted --others --ignored --stage --directory --no-empty-directory --unmerged --killed --modified --exclude= -x= -X=path --exclude-from=path --exclude-standard --error-unmatch --full-name --abbrev? --eol --deduplicate --format=',
    ),
  },
  'ls-tree': {
    flags: flags(
      '-d -l -r -t -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=',
    ),
  },
  merge: { flags: null, writes: true },
  'merge-base': { flags: flags('-a --all --octopus --independent --is-ancestor --fork-point') },
  mv: { flags: null, writes: true },
  'name-rev': {
    flags: flags('--tags --refs= --exclude= --all --name-only --no-undefined --always'),
  },
  reflog: {
    flags: flags(limits, pretty),
    operands: ([verb]) =>
      ['expire', 'delete', 'drop', 'write'].includes(verb ?? '')
        ? 'would change the log of references'
        : null,
  },
  remote: { flags: flags('-v --verbose'), operands: maxOperands(0) },
  reset: { flags: null, writes: true },
  restore: { flags: null, writes: true },
  'rev-list': {
    flags: flags(limits, pretty, '--objects --disk-usage? --header --timestamp --no-object-names'),
  },
  'rev-parse': {
    flags: flags(
      '-q --quiet --verify --short? --symbolic --symbolic-full-name --abbrev-ref? --all --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format? --revs-only --no-revs --flags --no-flags --not --sq',
    ),
  },
  revert: { flags: null, writes: true },
  rm: { flags: null, writes: true },
  shortlog: {
    flags: flags(
      limits,
      '-s -n -e -c -w? --summary --numbered --email --committer --group= --format=',
    ),
  },
  show: { flags: flags(limits, diffs, pretty) },
  'show-ref': {
    flags: flags(
      '-d -s -q --head --heads --branches --tags --dereference --hash? --verify --abbrev? --quiet --exists',
    ),
  },
  stash: {
    flags: flags('--stat? --name-only --name-status --oneline'),
    operands: ([verb]) =>
      verb === 'list' || verb === 'show' ? null : 'is pre-approved for "list" and "show" alone',
    // `git stash -- list` takes `list` for a file, and stashes its changes.
    refuses: (words) => (words.includes('--') ? 'would stash the files after "--"' : null),
  },
  status: {
    flags: flags(
      '-s -b -u? -z --short --branch --show-stash --porcelain? --long --untracked-files? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?',
    ),
  },
  switch: { flags: null, writes: true },
  tag: {
    flags: flags(
      '-l -n -n= --list --sort= --format= --color? --column? --no-column --contains? --no-contains? --merged? --no-merged? --points-at= -i --ignore-case',
    ),
    refuses: onlyWith([...listing, '-n'], 'would make a tag'),
  },
  version: { flags: flags('--build-options') },
}
