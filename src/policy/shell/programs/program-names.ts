import { valueIn } from '#domain/json/value-in.ts'
import { limits } from '#domain/limits.ts'
import { words } from '../../names/words.ts'

/** Names of the same program on common systems, which no rule for versions and suffixes finds. */
const sameProgram: Readonly<Record<string, string>> = {
  ex: 'vim',
  gview: 'vim',
  gvim: 'vim',
  gvimdiff: 'vim',
  rgview: 'vim',
  rgvim: 'vim',
  rview: 'vim',
  rvim: 'vim',
  vi: 'vim',
  view: 'vim',
  vimdiff: 'vim',
  editor: 'vim',
  pager: 'less',
  zless: 'less',
  batcat: 'bat',
  fdfind: 'fd',
  i386: 'setarch',
  i486: 'setarch',
  i586: 'setarch',
  i686: 'setarch',
  linux32: 'setarch',
  linux64: 'setarch',
  x86_64: 'setarch',
  aarch64: 'setarch',
  uname26: 'setarch',
  gfind: 'find',
  gsed: 'sed',
  gawk: 'awk',
  // Homebrew's names of GNU tools.
  gchmod: 'chmod',
  gcp: 'cp',
  gdd: 'dd',
  genv: 'env',
  gmake: 'make',
  gmv: 'mv',
  gnice: 'nice',
  gnohup: 'nohup',
  grm: 'rm',
  gsort: 'sort',
  gsplit: 'split',
  gstdbuf: 'stdbuf',
  gtar: 'tar',
  gtime: 'time',
  gtimeout: 'timeout',
  gxargs: 'xargs',
  mawk: 'awk',
  nawk: 'awk',
  original: 'awk',
}

/** Files that contain many programs; the name in the call selects one. */
const multiCall: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils'])
/** Files that run another program, or act as one, by the name in the call. */
const dispatchers: ReadonlySet<string> = new Set(
  words('rustup snap nix ccache systemctl xtables-nft-multi pgrep lvm mise'),
)

const namesByFile = new Map<string, readonly string[]>()

/**
 * The names that a program's file name stands for: itself, without its version and suffix, and
 * other names of the same program. `perl5.36.0` is also `perl`, `vim.basic` and `view` are also
 * `vim`.
 */
export function programNames(name: string): readonly string[] {
  // No file has a longer name, and a word of 64 KiB (`a.b.b.b…`) would stand for thousands.
  if (name.length > limits.componentBytes) return [name]
  let names = namesByFile.get(name)
  if (names === undefined) {
    names = [...expandName(name)]
    if (namesByFile.size > 2000) namesByFile.clear()
    namesByFile.set(name, names)
  }
  return names
}

/** Whether two file names may be those of one program: `vim.basic` and `vim`. */
export function maybeSameProgram(one: string, other: string): boolean {
  const names = programNames(other)
  return programNames(one).some((name) => names.includes(name))
}

function expandName(name: string): ReadonlySet<string> {
  const names = new Set<string>()
  let shortName = name
  // Each round removes a character or ends.
  for (;;) {
    names.add(shortName)
    const sameName = valueIn(sameProgram, shortName)
    if (sameName !== undefined) names.add(sameName)
    const shorter = shortName.replace(/(?:[.-]|(?<![0-9]))[0-9]+$/, '').replace(/\.[a-z]+$/, '')
    if (shorter === '' || shorter === shortName) return names
    shortName = shorter
  }
}

/** The command of Git that a file name such as `git-push` stands for; `null` for other names. */
export function gitCommand(name: string): string | null {
  return name.startsWith('git-') && name.length > 4 ? name.slice(4) : null
}

/** Whether a file holds many programs, of which the name in the call selects one. */
export function isMultiCall(name: string): boolean {
  return programNames(name).some((alias) => multiCall.has(alias))
}

/** Whether what a file does is known only with the name in the call. */
export function actsByName(name: string): boolean {
  return isMultiCall(name) || programNames(name).some((alias) => dispatchers.has(alias))
}
