import { stat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readRegularText } from '#sandbox/read-regular-file.ts'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { hostGitText, type GitRun } from '#sandbox/worktrees/host-git.ts'
import { openRepository, remotesOf, worktreeBaseIn } from '#sandbox/worktrees/repository.ts'

/** Whether each run can have a worktree (product.md 35), or why not. */
export type WorktreeFacts =
  | {
      readonly possible: true
      /** names of remotes */
      readonly remotes: readonly string[]
      /** folders of dependencies that are not committed; each worktree gets a copy of them */
      readonly copy: readonly string[]
    }
  /** as the end of a sentence */
  | { readonly possible: false; readonly problem: string }

/**
 * Whether a run in a worktree would have the same files as a run in the folder. `dependencies`: the
 * folders of dependencies, relative to it.
 */
export async function lookAtRepository(
  dir: string,
  dependencies: readonly string[],
): Promise<WorktreeFacts> {
  const no = (problem: string): WorktreeFacts => ({ possible: false, problem })
  const base = await worktreeBaseIn(dir, null)
  if ('problem' in base) return no(base.problem)
  const repository = await openRepository(await realpath(dir))
  const git: GitRun = { gitDir: repository.checkoutGitDir, cwd: dir }
  const tree = async (...words: string[]): Promise<readonly string[]> =>
    (await hostGitText(['ls-tree', '-z', '--name-only', base.baseCommit, ...words], git))
      .split('\0')
      .filter((name) => name !== '')
  const committed = await tree('--', '.gitmodules', ...dependencies)
  const copy = dependencies.filter((name) => !committed.includes(name))
  if (committed.includes('.gitmodules')) return no('its submodules would be empty in them')
  if (await hasFilters(dir)) return no('its filters, such as those of Git LFS, do not run for them')
  const sandbox = await findSandbox('bwrap')
  if (!sandbox.works) return no(`no command could commit in them: ${sandbox.problem}`)
  return { possible: true, remotes: Object.keys(await remotesOf(repository)), copy }
}

async function hasFilters(dir: string): Promise<boolean> {
  const text = await readRegularText(join(dir, '.gitattributes')).catch(() => '')
  return text.split('\n').some((line) => /^[^#].*\sfilter=/.test(line))
}

/** The top of a repository that contains `dir`; `null`: there is none. */
export async function repositoryAround(dir: string): Promise<string | null> {
  for (let at = dirname(dir); ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => null)) !== null) return at
    if (at === dirname(at)) return null
  }
}
