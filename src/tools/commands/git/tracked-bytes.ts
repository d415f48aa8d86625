import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import type { SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { askGit, listEntries, onlyInRepository, problemOfAnswer } from './ask-git.ts'
import { isPlainName } from './zone-answer.ts'

/** A tracked file below a covered path, with Git's own contents. */
export interface TrackedFile {
  /** absolute */
  readonly path: string
  readonly mode: number
  /** the time of its last change in the index, in seconds since 1970; 0: the index has none */
  readonly changedAtSeconds: number
  readonly bytes: Uint8Array
}

/** Git's facts about the covered paths of one command. */
export interface CoveredInGit {
  readonly tracked: readonly TrackedFile[]
  /** relative to the top of their repository: Git would try to read them, and cannot */
  readonly untracked: readonly string[]
}

/**
 * Prints, for each tracked file (`listEntries`), its mode, size and time, its path, and its bytes.
 * Leaves out entries that a sparse checkout keeps off the disk. Fails where Git cannot give all
 * others.
 */
const script = `${onlyInRepository}paths=("$@")
${listEntries}declare -A times
g ls-files --debug -z -- "\${paths[@]}" > /tmp/times || exit 1
while IFS= read -r -d '' name && read -r _ && IFS=': ' read -r _ changed _ &&
  read -r _ && read -r _ && read -r _; do
  times[$name]=$changed
done < /tmp/times
while IFS= read -r -d '' entry; do
  name=\${entry#*$'\\t'}
  read -r tag mode hash stage <<< "\${entry%%$'\\t'*}"
  [ "$tag" != S ] || [ -e "$name" ] || continue
  [ "$stage" = 0 ] || { printf 'a merge of %q is not finished' "$name" >&2; exit 1; }
  case $mode in 100644 | 100755) ;; *) continue ;; esac
  size=$(g cat-file -s "$hash") || exit 1
  printf '%s %s %s\\0%s\\0' "$mode" "$size" "\${times[$name]:-0}" "$name"
  g cat-file blob "$hash" || exit 1
done < /tmp/all`

/**
 * Asks Git, in a sandbox where nothing can be written, for its contents of the covered files and
 * folders of a plan. A command can read those in the repository anyway; files that differ on the
 * disk stay hidden. Folders in `without` are left out. Throws `ToolProblem` where Git's answer is
 * not whole: the files would look deleted, and `git add -A` would record that.
 */
export async function coveredInGit(
  { sandbox }: CommandPlace,
  plan: SandboxPlan,
  without: readonly string[],
  signal: AbortSignal,
): Promise<CoveredInGit> {
  const tracked: TrackedFile[] = []
  const untracked: string[] = []
  if (!sandbox.works) return { tracked, untracked }
  for (const [top, covered] of await byRepository(plan)) {
    const below = covered.filter((at) => !without.includes(at)).map((at) => path.relative(top, at))
    if (below.length === 0) continue
    const end = await askGit(sandbox, plan, { script, cwd: top, words: below }, signal)
    const problem = problemOfAnswer(end)
    if (problem !== null) throw new ToolProblem(refusal(below, problem))
    const files = readAnswer(top, end.stdout.bytes)
    tracked.push(...files)
    untracked.push(
      ...below.filter((at) => {
        const absolute = path.join(top, at)
        return !files.some((file) => file.path === absolute || file.path.startsWith(`${absolute}/`))
      }),
    )
  }
  return { tracked, untracked }
}

function refusal(paths: readonly string[], why: string): string {
  const [first = '', ...more] = paths
  const others = more.length === 0 ? '' : ` and ${countWords(more.length, 'other')}`
  return `No command runs beside ${JSON.stringify(first)}${others}, which commands do not see, because ${why}.`
}

/** Leaves out names that lead out of the covered paths. */
function readAnswer(top: string, bytes: Buffer): TrackedFile[] {
  const files: TrackedFile[] = []
  for (let at = 0; at < bytes.length;) {
    const [head, name] = [bytes.indexOf(0, at), bytes.indexOf(0, bytes.indexOf(0, at) + 1)]
    if (head < 0 || name < 0) break
    const [mode = '', size = '', changedAt = ''] = bytes
      .subarray(at, head)
      .toString('latin1')
      .split(' ')
    const start = name + 1
    const end = start + Number(size)
    if (!(end <= bytes.length)) break
    const fullName = bytes.subarray(head + 1, name).toString('utf8')
    if (isPlainName(fullName)) {
      files.push({
        path: path.join(top, fullName),
        mode: mode === '100755' ? 0o755 : 0o644,
        changedAtSeconds: Number(changedAt),
        bytes: bytes.subarray(start, end),
      })
    }
    at = end
  }
  return files
}

/** The covered paths by the top of their repository; those outside of one are left out. */
async function byRepository({
  covered,
  emptied,
  zones,
}: SandboxPlan): Promise<ReadonlyMap<string, readonly string[]>> {
  const tops = new Map<string, string | null>()
  const topOf = async (folder: string): Promise<string | null> => {
    const topFolder = tops.get(folder)
    if (topFolder !== undefined) return topFolder
    const inZone = zones.some(({ path: at }) => containsPath(at, folder))
    const isTop = inZone && (await lstat(path.join(folder, '.git')).catch(() => null)) !== null
    const top = isTop ? folder : inZone ? await topOf(path.dirname(folder)) : null
    tops.set(folder, top)
    return top
  }
  const repositories = new Map<string, string[]>()
  for (const at of [...covered, ...emptied]) {
    const top = await topOf(path.dirname(at))
    if (top !== null) repositories.set(top, [...(repositories.get(top) ?? []), at])
  }
  return repositories
}
