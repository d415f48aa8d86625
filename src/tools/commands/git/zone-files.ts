import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import type { CommandEnd } from '#sandbox/process/command-end.ts'
import { runSandboxed } from '#sandbox/bwrap/run-sandboxed.ts'
import { readOnlyPlan, type MountedCopy, type SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import { filesInGit } from '#sandbox/git/tracked-paths.ts'
import { identityAt, type Snapshots } from '#sandbox/snapshots/snapshots.ts'
import type { CommandPlace } from '../plan/command-place.ts'
import { readZoneAnswer, writeZoneFiles } from './zone-answer.ts'

const gitTimeoutMs = 30_000
const maxMib = 64

/**
 * Prints the entries of the index below a folder, an empty one, and the contents of their objects.
 * Prints nothing where Git does not work: then it does not work for the command either.
 */
const script = `set -o pipefail
g() {
  git --literal-pathspecs -c 'safe.directory=*' -c core.fsmonitor=false -c protocol.allow=never "$@"
}
g rev-parse --git-dir > /tmp/answer 2>&1
code=$?
[ "$code" = 128 ] && exit 0
[ "$code" = 0 ] || exit "$code"
g ls-files --stage -z -- "$1" > /tmp/entries && cat /tmp/entries && printf '\\0' || exit 1
while IFS= read -r -d '' entry; do
  words=(\${entry%%$'\\t'*})
  [ "\${words[0]}" = 160000 ] || printf '%s\\n' "\${words[1]}"
done < /tmp/entries | g cat-file --batch`

/**
 * Copies of what Git has of hidden zones, one folder for each, which a command gets at the place of
 * the zone: without them Git would take the files for deleted, and `git add -A` would record that.
 * Their bytes come from Git's objects, which the command can read anyway, never from the zone: an
 * index that an agent has written shows it nothing else. `root`: that of the workspace.
 * Throws `ToolProblem` where the copies would not be all of Git's files.
 */
export async function copyZonesOfGit(
  { sandbox }: CommandPlace,
  plan: SandboxPlan,
  root: string,
  zones: readonly Zone[],
  snapshots: Snapshots,
  signal: AbortSignal,
): Promise<MountedCopy[]> {
  const copies: MountedCopy[] = []
  if (!sandbox.works) return copies
  for (const zone of zones) {
    const at = path.join(root, zone.root)
    if (!plan.emptied.includes(at)) continue
    const isRepository = (await lstat(path.join(at, '.git')).catch(() => null)) !== null
    const inGit = isRepository ? 'none' : await filesInGit(at)
    if (inGit === 'none' || inGit === 'no index') continue
    const name = path.basename(at)
    const cwd = path.dirname(at)
    const end = await runSandboxed({
      ...sandbox,
      plan: { ...readOnlyPlan(plan), copies: [], cwd, cwdIdentity: null },
      argv: ['/bin/bash', '--norc', '--noprofile', '-p', '-c', script, 'bash', name],
      timeoutMs: gitTimeoutMs,
      limits: { ...commandLimits, outputBytes: maxMib * 1024 * 1024 },
      network: 'none',
      signal,
    })
    const problem = problemOf(end)
    const files = problem === null ? readZoneAnswer(end.stdout.bytes, name) : problem
    if (typeof files === 'string') {
      throw new ToolProblem(
        `No command runs beside zone ${zone.name}, whose reads are blocked, because ${files}.`,
      )
    }
    if (files.length === 0) continue
    const from = path.join(snapshots.folder, `zone-${copies.length}`)
    await writeZoneFiles(from, files)
    copies.push({ path: at, from, mode: 'ro', identity: await identityAt(from) })
  }
  return copies
}

/** The plan in which these folders are copies instead of being empty. */
export function withZoneCopies(plan: SandboxPlan, copies: readonly MountedCopy[]): SandboxPlan {
  const copied = new Set(copies.map((copy) => copy.path))
  return {
    ...plan,
    emptied: plan.emptied.filter((at) => !copied.has(at)),
    copies: [...plan.copies, ...copies],
  }
}

function problemOf(end: CommandEnd): string | null {
  if (end.exceeded !== null) return `Git has more than ${maxMib} MiB in it`
  if (end.timedOut) return `Git needs more than ${gitTimeoutMs / 1000} seconds for its files`
  if (end.exitCode === 0) return null
  const errorText = end.stderr.bytes.subarray(0, 300).toString('utf8').trim()
  return `Git cannot read what it has in it: ${errorText || `it ended with ${end.exitCode}`}`
}
