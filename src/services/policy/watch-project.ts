import { join } from 'node:path'
import { watch } from 'chokidar'
import { configFile } from '#policy/names/own-files.ts'
import { readProject } from './read-project.ts'

/** Files that package managers write when they change the packages that tools load. */
const installed = [
  'package.json',
  'package-lock.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'node_modules/.package-lock.json',
]

/** Editors write a file in several steps: a change counts after this long without another. */
const quietMs = 200

export interface ProjectWatch extends AsyncDisposable {
  /** resolves after the first look at the folder; later changes are noticed */
  readonly ready: Promise<void>
  /** As after a change: looks which files belong to the version, and calls `onChange`. */
  readonly lookAgain: () => void
}

/**
 * Calls `onChange` after files of a version changed, never concurrently with itself; a change
 * during a call leads to another one. Its rejections, and a folder that cannot be read, go to
 * `onError`. `onWatchError` gets errors after which changes may go unnoticed. For the development
 * profile: in production no version is activated by watching (workers-and-policy.md).
 */
export function watchProject(options: {
  readonly projectDir: string
  readonly onChange: () => Promise<void>
  readonly onError: (error: unknown) => void
  readonly onWatchError: (error: unknown) => void
}): ProjectWatch {
  const { projectDir } = options
  const always = [configFile, 'workers', 'tools', ...installed].map((path) =>
    join(projectDir, path),
  )
  const watcher = watch(always, {
    ignoreInitial: true,
    ignored: (path) =>
      path.includes('/node_modules/') && !installed.some((name) => path === join(projectDir, name)),
  })
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let isClosed = false

  async function settle(): Promise<void> {
    try {
      await watchScripts()
      await options.onChange()
    } catch (error) {
      options.onError(error)
    }
  }
  async function watchScripts(): Promise<void> {
    const project = await readProject(projectDir)
    if ('problems' in project || isClosed) return
    watcher.add([...project.files.texts.keys()].map((path) => join(projectDir, path)))
  }
  function begin(): void {
    timer = null
    if (running !== null) {
      schedule()
      return
    }
    running = settle().finally(() => {
      running = null
    })
  }
  function schedule(): void {
    if (timer !== null) clearTimeout(timer)
    if (!isClosed) timer = setTimeout(begin, quietMs)
  }

  watcher.on('all', schedule)
  watcher.on('error', options.onWatchError)
  const scanned = new Promise<void>((resolve) => {
    watcher.on('ready', () => resolve())
  })
  const ready = Promise.all([scanned, watchScripts().catch(options.onError)]).then(() => undefined)
  return {
    ready,
    lookAgain: schedule,
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
