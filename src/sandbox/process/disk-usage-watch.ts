import { constants, type StatsFs } from 'node:fs'
import { lstat, open, statfs, type FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { CommandLimits } from './command-limits.ts'
import type { FileTotals, ToMeasure } from './measure-thread.ts'

/** The disk and memory of the host that a command has used besides its processes' own. */
export interface WrittenAmounts {
  /**
   * bytes and files below its writable zones that are new since it began, as far as they were
   * measured
   */
  readonly zoneBytes: number
  readonly zoneFiles: number
  /** size of its own folders in memory */
  readonly tmpBytes: number
  readonly tmpFiles: number
  /** why it cannot be measured here: the rest of a sentence */
  readonly problem: string | null
}

export interface DiskUsageWatch {
  now(): WrittenAmounts
  close(): void
}

const { O_DIRECTORY, O_RDONLY } = constants
const lookEveryMs = 100
/**
 * A process that is just ending cannot be read; after this many consecutive failures none will
 * succeed.
 */
const maxFailures = 10
/** How often a file system that does not count its files is measured, however little it changed. */
const measureEveryMs = 5000
/** The largest share of time for measurements, so that large zones are not read all the time. */
const measureShare = 10

/** A folder in memory of the sandbox. */
export interface OwnFolder {
  readonly path: string
  /** of all of it */
  readonly bytes: number
}

/** One file system of writable zones, and the space that was free on it. */
interface Volume {
  readonly path: string
  freeBytes: number
  freeFiles: number
  readonly countsFiles: boolean
}

/**
 * Measures what a command writes where its processes do not count it: many small files, files in
 * memory, and disks that count no writes. A check takes two calls for each file system; zones are
 * measured, in a thread, only once their file system has lost so much space that the command may be
 * the cause. `first`: the first process inside.
 */
export function watchWritten(
  zones: readonly string[],
  folders: readonly OwnFolder[],
  limits: CommandLimits,
  first: Promise<number | null>,
): DiskUsageWatch {
  const since = Date.now()
  let volumes: Volume[] | null = null
  let written: WrittenAmounts = {
    zoneBytes: 0,
    zoneFiles: 0,
    tmpBytes: 0,
    tmpFiles: 0,
    problem: null,
  }
  let failures = 0
  let folderHandles: readonly FileHandle[] | null = null
  const closeOwn = async (): Promise<void> => {
    const handles = folderHandles ?? []
    folderHandles = null
    await Promise.all(handles.map((handle) => handle.close().catch(() => undefined)))
  }
  let closed = false
  let measuring: Worker | null = null
  let nextMeasureMs = performance.now() + measureEveryMs

  const look = async (inside: number | null): Promise<void> => {
    if (inside !== null && folderHandles === null) {
      const outcome = await openFolders(inside, folders)
      if (typeof outcome === 'string') failures += 1
      else folderHandles = outcome
      const problem = typeof outcome === 'string' && failures >= maxFailures ? outcome : null
      written = { ...written, problem }
    }
    if (closed) await closeOwn()
    if (folderHandles !== null) written = { ...written, ...(await useOfFolders(folderHandles)) }
    volumes ??= await volumesOf(zones)
    for (const volume of volumes) {
      const stats = await statfs(volume.path).catch(() => null)
      if (stats === null) continue
      const lost = volume.freeBytes - stats.bfree * stats.bsize
      const filesLost = volume.freeFiles - stats.ffree
      const isLess = lost > limits.writtenBytes / 4 || filesLost > limits.files / 4
      const isDue = !volume.countsFiles && performance.now() > nextMeasureMs
      if ((!isLess && !isDue) || measuring !== null || closed) continue
      volume.freeBytes -= Math.max(0, lost)
      volume.freeFiles -= Math.max(0, filesLost)
      const begunMs = performance.now()
      const { bytes, files } = await measure({ zones, since, maxFiles: limits.files + 1 })
      written = { ...written, zoneBytes: bytes, zoneFiles: files }
      const tookMs = performance.now() - begunMs
      nextMeasureMs = performance.now() + Math.max(measureEveryMs, tookMs * measureShare)
    }
  }
  const measure = (question: ToMeasure): Promise<FileTotals> => {
    const { promise, resolve } = Promise.withResolvers<FileTotals>()
    const nothing = { bytes: written.zoneBytes, files: written.zoneFiles }
    const worker = new Worker(new URL('measure-thread.ts', import.meta.url), {
      workerData: question,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    measuring = worker
    worker.once('message', resolve)
    worker.once('error', () => resolve(nothing))
    worker.once('exit', () => {
      measuring = null
      resolve(nothing)
    })
    return promise
  }
  let looking = false
  const started = volumesOf(zones).then((result) => (volumes = result))
  let inside: number | null = null
  void first.then((pid) => (inside = pid))
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    void started
      .then(() => look(inside))
      .catch(() => undefined)
      .finally(() => {
        looking = false
        if (closed) void closeOwn()
      })
  }, lookEveryMs)
  return {
    now: () => written,
    close() {
      closed = true
      clearInterval(timer)
      if (!looking) void closeOwn()
      void measuring?.terminate()
    },
  }
}

async function volumesOf(zones: readonly string[]): Promise<Volume[]> {
  const volumes = new Map<bigint, Volume>()
  for (const path of zones) {
    const state = await lstat(path, { bigint: true }).catch(() => null)
    const stats = await statfs(path).catch(() => null)
    if (state === null || stats === null || volumes.has(state.dev)) continue
    volumes.set(state.dev, {
      path,
      freeBytes: stats.bfree * stats.bsize,
      freeFiles: stats.ffree,
      countsFiles: stats.files > 0,
    })
  }
  return [...volumes.values()]
}

const tmpfs = 0x01021994
const pageBytes = 4096

/**
 * Opens them once through the sandbox's first process, whose id may be another's after its end.
 * What is opened must be what was mounted. Returns the rest of a sentence when it fails.
 */
async function openFolders(
  first: number,
  folders: readonly OwnFolder[],
): Promise<readonly FileHandle[] | string> {
  const handles: FileHandle[] = []
  try {
    for (const { bytes, path } of folders) {
      handles.push(await open(`/proc/${first}/root${path}`, O_RDONLY | O_DIRECTORY))
      const { blocks, bsize, type } = await statfsOf(handles.at(-1))
      if (type !== tmpfs || Math.abs(blocks * bsize - bytes) > pageBytes) {
        throw Object.assign(new Error(), { code: 'another one' })
      }
    }
    return handles
  } catch (error) {
    await Promise.all(handles.map((handle) => handle.close()))
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return `what is in its folders in memory cannot be seen (${code})`
  }
}

async function useOfFolders(
  handles: readonly FileHandle[],
): Promise<Pick<WrittenAmounts, 'tmpBytes' | 'tmpFiles'>> {
  let [tmpBytes, tmpFiles] = [0, 0]
  for (const handle of handles) {
    const { bfree, blocks, bsize, ffree, files } = await statfsOf(handle)
    tmpBytes += (blocks - bfree) * bsize
    tmpFiles += files - ffree
  }
  return { tmpBytes, tmpFiles }
}

function statfsOf(handle: FileHandle | undefined): Promise<StatsFs> {
  return statfs(`/proc/self/fd/${handle?.fd}`)
}
