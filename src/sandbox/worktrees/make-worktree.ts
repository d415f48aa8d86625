import { randomBytes } from 'node:crypto'
import { copyFile, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import { escapePath } from '../git/git-files.ts'
import { realFolder } from '../workspace.ts'
import { copyLimits, copyUntracked } from './copy-untracked.ts'
import { hostGitText } from './host-git.ts'
import { moveBranch, objectStoresOf, openRepository, remotesOf, tipOf } from './repository.ts'
import {
  hostGitDirIn,
  readRecord,
  treeIn,
  worktreeFolder,
  worktreesFolder,
  writeRecord,
  type WorktreeRecord,
} from './worktree-record.ts'

export interface WorktreeToMake {
  readonly dataDir: string
  /** the folder of the workspace, the top of its repository */
  readonly root: string
  readonly runId: string
  readonly worktree: WorktreeOfRun
  /** what no commit has and the worktree is to have too: paths relative to the root */
  readonly copy: readonly string[]
}

/**
 * Makes the worktree of a run (product.md 35). It has the files of the commit at which the run
 * begins, and copies of the paths that no commit has. Its Git folder reads the objects of the
 * repository, and has none of its settings, hooks and branches. Its branch is made in the
 * repository. Several processes may do so at once. Rejects with `UnusableWorkspace`.
 */
export async function makeWorktree(toMake: WorktreeToMake): Promise<WorktreeRecord> {
  const { copy, dataDir, root, runId, worktree } = toMake
  const { base, baseCommit, branch } = worktree
  const repository = await openRepository(await realFolder(root))
  const objectStores = await objectStoresOf(repository)
  const remotes = await remotesOf(repository)
  const record: WorktreeRecord = {
    runId,
    branch,
    base,
    baseCommit,
    repository,
    objectStores,
    remotes,
    tip: baseCommit,
  }
  const folder = worktreeFolder(dataDir, runId)
  await mkdir(worktreesFolder(dataDir), { recursive: true, mode: 0o700 })
  const unfinished = `${folder}.${randomBytes(8).toString('hex')}.new`
  try {
    await mkdir(unfinished, { mode: 0o700 })
    await layOut(unfinished, record)
    const tree = treeIn(unfinished)
    const copied = await copyUntracked({ root, tree, paths: copy, dataDir, limits: copyLimits })
    await hideFromGit(unfinished, copied)
    const moved = await moveBranch(repository, branch, {
      from: null,
      to: baseCommit,
      why: `countersign: run ${runId} starts`,
    })
    // A process that was killed here earlier has made it.
    if (!moved && (await tipOf(repository, branch)) !== baseCommit) {
      throw new UnusableWorkspace(`its repository has a branch ${branch} already`)
    }
    const submodules = await submodulesIn(hostGitDirIn(unfinished))
    await writeRecord(unfinished, { ...record, submodules })
    await rename(unfinished, folder)
    return { ...record, submodules }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    const other = await readRecord(folder)
    if (other !== null) return other
    if (error instanceof UnusableWorkspace) throw error
    const why = errorMessage(error).slice(0, 300)
    throw new UnusableWorkspace(`no worktree can be made of it (${why})`, { cause: error })
  }
}

async function layOut(folder: string, record: WorktreeRecord): Promise<void> {
  const { base, baseCommit, branch, objectStores, repository } = record
  const tree = treeIn(folder)
  const own = path.join(tree, '.git')
  const host = hostGitDirIn(folder)
  const shallow = path.join(repository.gitDir, 'shallow')
  const isShallow = (await lstat(shallow).catch(() => null))?.isFile() === true
  for (const [gitDir, words] of [
    [own, ['init', '-q', `--initial-branch=${branch}`, tree]],
    [host, ['init', '-q', '--bare']],
  ] as const) {
    // An empty template: no hooks, and no file that only seems to be one.
    await hostGitText([...words, '--template=', `--object-format=${repository.format}`], {
      gitDir,
      cwd: folder,
    })
    await mkdir(path.join(gitDir, 'objects/info'), { recursive: true })
    await writeFile(path.join(gitDir, 'objects/info/alternates'), `${objectStores[0] ?? ''}\n`)
    if (isShallow) await copyFile(shallow, path.join(gitDir, 'shallow'))
  }
  // Existing folders can be protected from commands; a command could create missing ones.
  for (const name of ['hooks', 'info']) await mkdir(path.join(own, name), { recursive: true })
  const run = { gitDir: own, cwd: tree, environment: { GIT_WORK_TREE: tree } }
  await hostGitText(['update-ref', `refs/heads/${branch}`, baseCommit], run)
  await hostGitText(['update-ref', `refs/heads/${base}`, baseCommit], run)
  await hostGitText(['reset', '-q', '--hard', baseCommit], run)
  // The host compares the files with the first commit, whatever commands do to their own index.
  await copyFile(path.join(own, 'index'), path.join(host, 'index'))
  await writeFile(path.join(host, 'HEAD'), `${baseCommit}\n`)
}

/** The folders of submodules in the index of a Git folder of the host. */
async function submodulesIn(gitDir: string): Promise<readonly string[]> {
  const entries = (await hostGitText(['ls-files', '--stage', '-z'], { gitDir })).split('\0')
  return entries
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
}

/** Git leaves copies out of what is not committed, whatever the commit's own files say. */
async function hideFromGit(folder: string, paths: readonly string[]): Promise<void> {
  const lines = paths.map((at) => `/${escapePath(at)}\n`)
  const hostInfo = path.join(hostGitDirIn(folder), 'info')
  await mkdir(hostInfo, { recursive: true })
  for (const info of [path.join(treeIn(folder), '.git/info'), hostInfo]) {
    await writeFile(path.join(info, 'exclude'), lines.join(''))
  }
}
