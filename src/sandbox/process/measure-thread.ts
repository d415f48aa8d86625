import { lstatSync, opendirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

export interface ToMeasure {
  readonly zones: readonly string[]
  /** milliseconds: files that were not created or changed since do not count */
  readonly since: number
  /** counting ends at this many files */
  readonly maxFiles: number
}

export interface FileTotals {
  readonly bytes: number
  readonly files: number
}

/** The time of a file system may be one tick behind the clock. */
const tickMs = 20
const blockBytes = 512

/**
 * Runs in a worker thread: the size of the files below some folders that were created or changed
 * since a time, by the kernel's own change time, which nobody can set. No link is followed;
 * unreadable files are not counted.
 */
function measure({ maxFiles, since, zones }: ToMeasure): FileTotals {
  const countedFiles = new Set<string>()
  const folders = [...zones]
  let [bytes, files] = [0, 0]
  for (let at = folders.pop(); at !== undefined && files < maxFiles; at = folders.pop()) {
    for (const { folder, name } of entriesOf(at)) {
      const below = `${at}/${name}`
      if (folder) folders.push(below)
      const state = lstatSync(below, { throwIfNoEntry: false })
      if (state === undefined || state.ctimeMs < since - tickMs) continue
      const identity = `${state.dev}:${state.ino}`
      if (countedFiles.has(identity)) continue
      countedFiles.add(identity)
      files += 1
      bytes += state.blocks * blockBytes
      if (files >= maxFiles) break
    }
  }
  return { bytes, files }
}

function* entriesOf(folder: string): Generator<{ folder: boolean; name: string }> {
  try {
    const open = opendirSync(folder)
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        yield { folder: entry.isDirectory(), name: entry.name }
      }
    } finally {
      open.closeSync()
    }
  } catch {
    // It no longer exists, or may not be read.
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(measure(workerData as ToMeasure))
