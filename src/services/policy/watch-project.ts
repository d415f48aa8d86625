import { join } from 'node:path'
import { watch } from 'chokidar'
import { configFile } from '../../policy/project/config/read-config.ts'
import { readProject } from './read-project.ts'

/** Editors write a file in several steps; a change counts once it has been quiet this long. */
const quietMs = 200

export interface ProjectWatch extends AsyncDisposable {
  /** the first look at the folder is done; changes from now on are noticed */
  readonly ready: Promise<void>
}

/**
 * Calls `onChange` after files that make a version changed, never twice at once and never concurrently with itself;
 * a change during a call leads to another. What it rejects with is passed to `onError`. For the development profile:
 * in production nothing is activated by watching (workers-and-policy.md).
 */
export function watchProject(options: {
  readonly projectDir: string
  readonly onChange: () => Promise<void>
  readonly onError: (error: unknown) => void
}): ProjectWatch {
  const { projectDir } = options
  const always = [configFile, 'workers', 'tools'].map((path) => join(projectDir, path))
  const watcher = watch(always, {
    ignoreInitial: true,
    ignored: (path) => path.includes('/node_modules/'),
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
    const read = await readProject(projectDir)
    if ('problems' in read || isClosed) return
    watcher.add([...read.files.texts.keys()].map((path) => join(projectDir, path)))
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
  watcher.on('error', options.onError)
  const looked = new Promise<void>((resolve) => {
    watcher.on('ready', () => resolve())
  })
  const ready = Promise.all([looked, watchScripts().catch(options.onError)]).then(() => undefined)
  return {
    ready,
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
