import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CommitIdentity } from '#domain/tools/commit-identity.ts'
import { messageHook, messageHooks } from './message-hook.ts'

/** Where commands in a sandbox find these files. */
export const gitFolder = '/run/countersign'

/**
 * Writes the files for Git of one command into a folder: hooks that add the trailers, and the names
 * to ignore. `unseen`: paths relative to the top of a repository.
 */
export async function writeGitFiles(
  folder: string,
  { trailers }: CommitIdentity,
  unseen: readonly string[],
): Promise<void> {
  const hooks = path.join(folder, 'hooks')
  await mkdir(hooks, { recursive: true, mode: 0o755 })
  await chmod(folder, 0o755)
  const lines = trailers.map(({ name, value }) => `${name}: ${value}\n`)
  await writeFile(path.join(folder, 'trailers'), lines.join(''))
  await writeFile(path.join(folder, 'exclude'), unseen.map((at) => `/${escapePath(at)}\n`).join(''))
  for (const name of messageHooks) {
    await writeFile(path.join(hooks, name), messageHook, { mode: 0o755 })
  }
}

/** A path as a pattern of Git that means just it. */
export function escapePath(at: string): string {
  return at.replace(/[\\*?[\]!#]/g, '\\$&').replace(/ $/, '\\ ')
}

/** The names of the variables below, for approvers. */
export const gitVariables = [
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_*',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_VALUE_*',
] as const

/**
 * Git's environment: author and committer, and settings that override the repository's. `folder`:
 * where the command finds the files of `writeGitFiles`. `hasCopies`: some tracked files are copies
 * with the time that the index has. Git then takes each file with the size and the time, in whole
 * seconds, of the index for unchanged. If it compared inode and ctime too, `git reset --hard` and
 * `git restore .` would try to write the copies, and fail.
 */
export function gitEnvironment(
  { author, committer }: CommitIdentity,
  folder: string,
  hasCopies: boolean,
): Readonly<Record<string, string>> {
  const settings = [
    ...(hasCopies
      ? [
          ['core.checkStat', 'minimal'],
          ['core.trustctime', 'false'],
        ]
      : []),
    ['core.hooksPath', `${folder}/hooks`],
    ['core.excludesFile', `${folder}/exclude`],
    ['core.commentChar', '#'],
    ['commit.gpgSign', 'false'],
    ['tag.gpgSign', 'false'],
  ]
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key = '', value = ''], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}
