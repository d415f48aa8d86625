import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import type { ProjectFiles } from '#policy/policy.ts'

const run = promisify(execFile)

/**
 * The commit and its author when Git's HEAD has exactly these texts, else `uncommitted`, also
 * outside of Git. Recorded as Git's report. It uses only plumbing that reads objects, with no
 * configuration but the repository's: no hook, filter or signature program is started.
 */
export async function reportedCommit(projectDir: string, files: ProjectFiles): Promise<string> {
  try {
    const commit = (await git(projectDir, 'rev-parse', '--verify', 'HEAD^{commit}')).trim()
    const blobs = await blobsOf(projectDir, commit)
    const differs = [...files.texts].some(([path, text]) => blobs.get(path) !== blobId(text))
    if (differs) return 'uncommitted'
    const author = /^author (.*) \d+ [+-]\d+$/m.exec(
      await git(projectDir, 'cat-file', 'commit', commit),
    )?.[1]
    return `commit ${commit} by ${(author ?? 'unknown').slice(0, 200)}`
  } catch {
    return 'uncommitted'
  }
}

async function git(projectDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'safe.directory=*', '-C', projectDir, ...args], {
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      // An older Git does not know this variable, and a repository can allow programs as protocols.
      GIT_ALLOW_PROTOCOL: '',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeout: 3000,
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
}

/** Blob ids of a commit by path relative to the project folder. */
async function blobsOf(projectDir: string, commit: string): Promise<Map<string, string>> {
  const listing = await git(projectDir, 'ls-tree', '-r', '-z', commit, '--', '.')
  const entries = listing.split('\0').flatMap((line) => {
    const match = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line)
    return match === null ? [] : [[match[2] ?? '', match[1] ?? ''] as const]
  })
  return new Map(entries)
}

function blobId(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
