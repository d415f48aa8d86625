import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from './run-git.ts'

/** The Git state of a folder; `null` for what is not known. */
export interface GitState {
  readonly remote: string | null
  readonly commit: string | null
  /** tracked files differ from the commit */
  readonly dirty: boolean | null
}

/** Settings that decide whether a file counts as changed, and start no program. */
const comparedSettings = [
  'core.filemode',
  'core.autocrlf',
  'core.eol',
  'core.symlinks',
  'core.ignorecase',
]

/**
 * Remote, commit and whether tracked files were changed; `null` outside of Git. It runs nothing
 * that the repository configures, and takes at most three times `withinMs`.
 */
export async function gitState(folder: string, withinMs: number): Promise<GitState | null> {
  const git = (...args: string[]): Promise<string | null> =>
    runGit(['-C', folder, ...args], { withinMs })
  const [places, commit, settings] = await Promise.all([
    git('rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir', '--show-toplevel'),
    git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
    git(
      'config',
      '--null',
      '--get-regexp',
      `^(remote\\.origin\\.url|${comparedSettings.join('|')})$`,
    ),
  ])
  const [gitDir, commonDir, top] = places?.split('\n') ?? []
  if (gitDir === undefined || commonDir === undefined || top === undefined || top === '')
    return null
  const head = commit?.trim() ?? null
  const gitSettings = settingsOf(settings ?? '')
  return {
    remote: withoutPassword(gitSettings.get('remote.origin.url') ?? null),
    commit: head,
    dirty:
      head === null
        ? null
        : await isDirty({ gitDir, commonDir, top, head, known: gitSettings, withinMs }),
  }
}

function settingsOf(text: string): ReadonlyMap<string, string> {
  const entries = text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n')
    return at === -1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)] as const]
  })
  return new Map(entries)
}

/**
 * Uses a Git folder of its own that borrows the repository's index and objects. Filters, which `git
 * status` would run on files that look changed, are settings, and the repository's are not read
 * there.
 */
async function isDirty(of: {
  readonly gitDir: string
  readonly commonDir: string
  readonly top: string
  readonly head: string
  readonly known: ReadonlyMap<string, string>
  readonly withinMs: number
}): Promise<boolean | null> {
  const { commonDir, gitDir, head, known: settings, top, withinMs } = of
  const own = await mkdtemp(join(tmpdir(), 'countersign-git-'))
  try {
    await Promise.all(['objects', 'refs'].map((name) => mkdir(join(own, name))))
    await writeFile(join(own, 'HEAD'), `${head}\n`)
    const format = head.length === 64 ? '1\n[extensions]\n\tobjectFormat = sha256' : '0'
    await writeFile(join(own, 'config'), `[core]\n\trepositoryFormatVersion = ${format}\n`)
    const same = comparedSettings.flatMap((name) => {
      const value = settings.get(name)
      return value === undefined ? [] : ['-c', `${name}=${value}`]
    })
    const status = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all']
    const text = await runGit([...same, '-C', top, ...status], {
      withinMs,
      environment: {
        GIT_DIR: own,
        GIT_WORK_TREE: top,
        GIT_INDEX_FILE: join(gitDir, 'index'),
        GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
      },
    })
    return text === null ? null : text !== ''
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** An address without its credentials. */
function withoutPassword(remote: string | null): string | null {
  if (remote === null || remote === '' || remote.length > 2000 || remote.includes('\0')) return null
  const [, scheme, user, rest] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@(.*)$/is.exec(remote) ?? []
  if (scheme === undefined || user === undefined || rest === undefined) return remote
  const name = /^https?:/i.test(scheme) ? '' : (user.split(':')[0] ?? '')
  return name === '' ? `${scheme}${rest}` : `${scheme}${name}@${rest}`
}
