import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { CommandStopped, type CommandEnd } from '#sandbox/process/command-end.ts'
import type { MountedCopy, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { isInRepository } from '#sandbox/git/tracked-paths.ts'
import { identityAt, type Snapshots } from '#sandbox/snapshots/snapshots.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { askGit, listEntries, onlyInRepository, problemOfAnswer } from './ask-git.ts'
import { readZoneAnswer, writeZoneFiles } from './zone-answer.ts'

/**
 * Prints the entries of Git below a folder (`listEntries`) and an empty one, and then, with
 * `contents`, those of their objects. Leaves out entries that a sparse checkout keeps off the disk.
 */
const script = `${onlyInRepository}paths=("$1")
${listEntries}while IFS= read -r -d '' entry; do
  case $entry in 'S '*) ;; *) printf '%s\\0' "\${entry#* }" ;; esac
done < /tmp/all > /tmp/entries
cat /tmp/entries && printf '\\0' || exit 1
[ "$2" = contents ] || exit 0
while IFS= read -r -d '' entry; do
  words=(\${entry%%$'\\t'*})
  [ "\${words[0]}" = 160000 ] || printf '%s\\n' "\${words[1]}"
done < /tmp/entries | g cat-file --batch`

/** A copy of what Git has of a hidden zone. */
export interface ZoneCopy {
  readonly zone: string
  readonly mount: MountedCopy
  /** the entries of Git below the zone, as the script prints them */
  readonly entries: Buffer
}

/**
 * Copies of what Git has of hidden zones, one folder for each, which a command gets at the place of
 * the zone: without them Git would take the files for deleted, and `git add -A` would record that.
 * Their bytes come from Git's objects, which the command can read anyway, never from the zone: an
 * index that an agent has written shows it nothing else. `root`: that of the workspace.
 * Throws `ToolProblem` where the copies would not be all of Git's files.
 */
export async function copyZonesOfGit(
  place: CommandPlace,
  plan: SandboxPlan,
  root: string,
  zones: readonly Zone[],
  snapshots: Snapshots,
  signal: AbortSignal,
): Promise<ZoneCopy[]> {
  const copies: ZoneCopy[] = []
  if (!place.sandbox.works) return copies
  for (const zone of zones) {
    const at = path.join(root, zone.root)
    if (!plan.emptied.includes(at)) continue
    const isRepository = (await lstat(path.join(at, '.git')).catch(() => null)) !== null
    if (isRepository || !(await isInRepository(at))) continue
    const end = await askAbout(place, plan, at, 'contents', signal)
    const answer = end.stdout.bytes
    const files = problemOfAnswer(end) ?? readZoneAnswer(answer, path.basename(at))
    if (typeof files === 'string') throw refusal(zone, files)
    if (files.length === 0) continue
    const from = path.join(snapshots.folder, `zone-${copies.length}`)
    const identity = await writeZoneFiles(from, files)
      .then(() => identityAt(from))
      .catch((error: NodeJS.ErrnoException) => {
        throw refusal(zone, `Git's files of it cannot be written (${error.code ?? error.message})`)
      })
    const entries = entriesIn(answer)
    copies.push({ zone: zone.name, mount: { path: at, from, mode: 'ro', identity }, entries })
  }
  return copies
}

/**
 * After a command: a sentence for each zone whose files it changed in Git's index, as
 * `git checkout` does. It cannot change them on the disk: from then on they count as changed back.
 */
export async function zonesBehindIndex(
  place: CommandPlace,
  plan: SandboxPlan,
  copies: readonly ZoneCopy[],
  signal: AbortSignal,
): Promise<string[]> {
  const sentences: string[] = []
  for (const { entries, mount, zone } of copies) {
    // The command may have moved what its sandbox had, so that no other one can be made. Whatever
    // fails here, the command has run.
    const end = await askAbout(place, plan, mount.path, 'names', signal).catch((error: unknown) => {
      if (error instanceof CommandStopped) throw error
      return null
    })
    const isRead = end !== null && problemOfAnswer(end) === null
    if (isRead && entriesIn(end.stdout.bytes).equals(entries)) continue
    sentences.push(
      `Git's index may have other files of zone ${zone} now, and the disk has those from before: ` +
        `a person can bring them up to date with \`git restore -- ${path.basename(mount.path)}\`.`,
    )
  }
  return sentences
}

async function askAbout(
  { sandbox }: CommandPlace,
  plan: SandboxPlan,
  at: string,
  what: 'contents' | 'names',
  signal: AbortSignal,
): Promise<CommandEnd> {
  if (!sandbox.works) throw new Error('Git is asked in a sandbox only')
  const words = [path.basename(at), what]
  return askGit(sandbox, plan, { script, cwd: path.dirname(at), words }, signal)
}

/** The part of an answer up to its empty entry. */
function entriesIn(answer: Buffer): Buffer {
  const end = answer.indexOf('\0\0', 0, 'latin1')
  return answer.subarray(0, Math.max(0, end))
}

function refusal(zone: Zone, why: string): ToolProblem {
  return new ToolProblem(
    `No command runs beside zone ${zone.name}, whose reads are blocked, because ${why}.`,
  )
}

/** The plan in which these folders are copies instead of being empty. */
export function withZoneCopies(plan: SandboxPlan, copies: readonly ZoneCopy[]): SandboxPlan {
  const mounts = copies.map(({ mount }) => mount)
  const copied = new Set(mounts.map((mount) => mount.path))
  return {
    ...plan,
    emptied: plan.emptied.filter((at) => !copied.has(at)),
    copies: [...plan.copies, ...mounts],
  }
}
