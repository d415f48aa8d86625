import { open } from 'node:fs/promises'
import path from 'node:path'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { secretName } from '#policy/names/secret-names.ts'
import type { MountedCopy, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import {
  identityAt,
  snapshotLimits,
  type Snapshot,
  type Snapshots,
} from '#sandbox/snapshots/snapshots.ts'
import type { CommandFacts } from '../facts/command-facts.ts'
import { deepestMount } from '../plan/deepest-mount.ts'
import { inspectInWorkspace, type InspectFile } from '../facts/named-files.ts'

/**
 * Inspects files by copying them, so that the command later gets these copies. Larger files are
 * inspected in place.
 */
export function inspectByCopies(
  workspace: Workspace,
  snapshots: Snapshots,
  signal: AbortSignal,
): InspectFile {
  const inspectInPlace = inspectInWorkspace(workspace, signal)
  return async (at) => {
    try {
      const copied = snapshots.get(at) ?? (await snapshots.take(workspace, at))
      if (copied === null) return await inspectInPlace(at)
      const { bytes, from, hash } = copied
      const head = await headOf(from)
      return { bytes, hash, head }
    } catch (error) {
      if (error instanceof WorkspaceProblem) return null
      throw error
    }
  }
}

async function headOf(file: string): Promise<Uint8Array> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0)
  return buffer.subarray(0, bytesRead)
}

/** A copy in place of a file; `isWritten`: what the command writes is copied back. */
export interface NamedMount {
  readonly snapshot: Snapshot
  readonly isRun: boolean
  readonly isWritten: boolean
  readonly mount: MountedCopy
}

/**
 * The named files that a command gets as copies (security.md 28): files that it cannot write to,
 * files that it may run, and files that it reads if it only reads. The copy of a program in a
 * writable zone belongs to the command. `allowed`: key files that the command was approved with.
 * Throws `ToolProblem` for a program that is too large to copy.
 */
export async function mountNamed(
  root: string,
  plan: SandboxPlan,
  { files }: CommandFacts,
  snapshots: Snapshots,
  allowed: ReadonlySet<string>,
): Promise<NamedMount[]> {
  const mounts: NamedMount[] = []
  for (const { path: at, role } of files) {
    const absolute = path.join(root, at)
    if (plan.covered.includes(absolute) || isBelow(plan.emptied, absolute)) continue
    // Somebody may have moved it here after the plan was made.
    if (secretName(at) !== null && !allowed.has(at)) continue
    // Files of a hidden zone are hidden too (security.md 40).
    if (!plan.zones.some((zone) => containsPath(zone.path, absolute))) continue
    const isFixed = !isWritable(plan, absolute)
    if (!isFixed && role === 'uses') continue
    const snapshot = snapshots.get(at)
    if (snapshot === undefined) {
      if (role === 'runs') throw tooLarge(at)
      continue
    }
    const isWritten = !isFixed && role === 'runs'
    const identity = await identityAt(snapshot.from)
    const mount = {
      path: absolute,
      from: snapshot.from,
      mode: isWritten ? 'rw' : 'ro',
      identity,
    } as const
    mounts.push({ snapshot, isRun: role === 'runs', isWritten, mount })
  }
  return mounts
}

function isWritable({ readOnly, zones }: SandboxPlan, at: string): boolean {
  return !isBelow(readOnly, at) && deepestMount(zones, at)?.mode === 'rw'
}

function isBelow(folders: readonly string[], at: string): boolean {
  return folders.some((folder) => containsPath(folder, at))
}

function tooLarge(at: string): ToolProblem {
  const mib = snapshotLimits.fileBytes / 1024 / 1024
  const totalMib = snapshotLimits.allBytes / 1024 / 1024
  return new ToolProblem(
    `The command was not begun: ${JSON.stringify(at)}, which it may run, cannot be held as it was shown, because it is larger than ${mib} MiB, or the files that the command names are more than ${snapshotLimits.files} or together larger than ${totalMib} MiB.`,
  )
}
