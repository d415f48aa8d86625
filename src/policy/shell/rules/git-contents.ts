import { words } from '../../names/words.ts'

/** Commands that print names, commits and places, but no contents of files. */
const plainCommands = words(
  'branch check-ignore count-objects describe for-each-ref ls-files ls-tree merge-base name-rev remote rev-list rev-parse show-ref symbolic-ref tag version worktree',
)

/**
 * Fields of `--format` and `--sort` that are about refs, commits and tags. `raw` is the contents of
 * whatever a ref points to, and a script can write a ref to any file that Git has.
 */
const plainFields = words(
  'HEAD align author authordate authoremail authorname body color committer committerdate committeremail committername contents creator creatordate describe else end eolinfo flag if numparent object objectmode objectname objectsize objecttype parent path push refname stage subject symref tag tagger taggerdate taggeremail taggername then trailers tree type upstream version worktreepath',
)

/** Flags with which `log` and `status` print no contents of files. */
const plainFlags: Readonly<Record<string, RegExp>> = {
  log: /^(?:--|-n|-\d+|-n\d+|--(?:oneline|graph|all|no-merges|merges|first-parent|reverse|name-only|name-status|no-patch|abbrev-commit|no-decorate|topo-order|date-order)|--(?:max-count|skip|since|until|after|before|author|committer|date|decorate|format|pretty|stat|shortstat)(?:=.*)?)$/,
  status:
    /^(?:--|-s|-b|-sb|-z|-u\w*|--(?:short|branch|porcelain|untracked-files|ignored|no-renames|ahead-behind|no-ahead-behind|column)(?:=.*)?)$/,
}
/** Options that are inserted wherever a Git command runs by rules alone. */
const putIn = /^--(?:no-ext-diff|no-textconv|ignore-submodules=all)$/
/** Options of `git` itself whose value is the next word. */
const withValue = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace'])

function namesPlainFields(word: string): boolean {
  const names = [...word.matchAll(/%\(\*?([^:)]*)/g)].map(([, name = '']) => name)
  const [, sorted] = /^(?:--sort=)?-?\*?(raw)(?::size)?$/.exec(word) ?? []
  return [...names, ...(sorted === undefined ? [] : [sorted])].every((name) =>
    plainFields.includes(name),
  )
}

/**
 * Whether a vector runs `git` in a way that can print contents of files: Git has copies of them
 * even where the files are hidden. `[0]` is the program.
 */
export function showsGitContents(vector: readonly string[]): boolean {
  if (vector[0]?.split('/').at(-1) !== 'git') return false
  let at = 1
  while (vector[at]?.startsWith('-') === true) at += withValue.has(vector[at] ?? '') ? 2 : 1
  const command = vector[at]
  if (command === undefined) return false
  if (plainCommands.includes(command)) return !vector.slice(at + 1).every(namesPlainFields)
  const plain = plainFlags[command]
  const flags = vector.slice(at + 1).filter((word) => word.startsWith('-'))
  return plain === undefined || !flags.every((flag) => plain.test(flag) || putIn.test(flag))
}
