import { realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Policy } from '#policy/policy.ts'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { serverPrograms } from '#policy/worker/server-programs.ts'
import type { MountedCopy } from '#sandbox/bwrap/sandbox-plan.ts'
import { identityAt, makeCopiesFolder } from '#sandbox/snapshots/snapshots.ts'
import type { CommandSite } from '../../commands/plan/command-place.ts'
import { readProgramsInThread } from './read-in-thread.ts'

/** A server that was not started, because a file of its program is not what a version recorded. */
export interface ChangedProgram {
  readonly worker: string
  /** relative to the project folder */
  readonly path: string
}

/** Where a server is about to be started. */
interface ProgramPlace {
  readonly policy: Policy
  readonly worker: { readonly name: string }
  readonly workspace: { readonly root: string }
}

/**
 * Compares a server's program with what the version recorded (security.md 36), and returns copies
 * of the compared bytes for its sandbox, so that nobody can change them in between. Throws a
 * sentence when a file differs, after `onRefused`. If an earlier release recorded the version, or
 * the workspace is in another folder than the project's, nothing is compared.
 */
export async function checkPrograms(
  site: CommandSite,
  { policy, worker, workspace }: ProgramPlace,
  program: Parameters<typeof serverPrograms>[0],
  onRefused: (changed: ChangedProgram) => Promise<void>,
): Promise<readonly MountedCopy[]> {
  const { serverFiles } = policy.files
  if (serverFiles === undefined || !(await isProject(site, policy.config))) return []
  const root = await realpath(workspace.root)
  // Without a sandbox there is nothing to mount them in.
  const copies = site.sandbox.works ? await makeCopiesFolder(site.dataDir) : null
  const files = await readProgramsInThread(root, [serverPrograms(program)], copies)
  const hashes = new Map(serverFiles.map((file) => [file.path, file.hash]))
  const other = files.find((file) => hashes.get(file.path) !== file.hash)
  if (other !== undefined) {
    if (copies !== null) await rm(copies, { recursive: true, force: true })
    await onRefused({ worker: worker.name, path: other.path })
    throw new Error(sentenceAbout(other.path, hashes.has(other.path)))
  }
  return Promise.all(
    files.flatMap(({ path: at, copy }) =>
      copy === null ? [] : [mountedCopy(path.join(root, at), copy)],
    ),
  )
}

/** Whether paths of the policy are paths of the project folder, or of a worktree of it. */
async function isProject(
  { projectDir }: CommandSite,
  { workspace = defaultWorkspace, workspaces }: Policy['config'],
): Promise<boolean> {
  const { root = '.' } = workspaces.get(workspace) ?? {}
  const [project, folder] = await Promise.all(
    [projectDir, path.resolve(projectDir, root)].map((at) => realpath(at).catch(() => at)),
  )
  return project === folder
}

async function mountedCopy(at: string, copy: string): Promise<MountedCopy> {
  return { path: at, from: copy, mode: 'ro', identity: await identityAt(copy) }
}

function sentenceAbout(at: string, isRecorded: boolean): string {
  const what = isRecorded
    ? 'has other contents than the version in force recorded'
    : 'is not part of what the version in force recorded'
  return `it was not started: ${at}, which is part of its program, ${what}. Look at what changed; then restore it, or record it with "countersign policy activate"`
}

/** The copies that a sandbox can mount: those of files whose path exists in the sandbox. */
export function copiesIn(
  copies: readonly MountedCopy[],
  folders: readonly string[],
): readonly MountedCopy[] {
  return copies.filter(({ path: at }) => folders.some((folder) => containsPath(folder, at)))
}
