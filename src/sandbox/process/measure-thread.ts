import { lstatSync, opendirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

export interface ToMeasure {
  readonly zones: readonly string[]
  /** milliseconds: what was neither made nor changed since then does not count */
  readonly since: number
  /** counting ends at this many files */
  readonly maxFiles: number
}

export interface FileTotals {
  readonly bytes: number
  readonly files: number
}

/** A file system's clock is a tick behind. */
const tickMs = 20
const blockBytes = 512

/**
 * Runs in a worker thread: how much space the files below some folders take that were made or
 * changed since a moment, by the kernel's own time of change, which nobody can set. No link is
 * followed; what cannot be read counts nothing.
 */
function measure({ maxFiles: most, since, zones }: ToMeasure): FileTotals {
  const counted = new Set<string>()
  const waiting = [...zones]
  let [bytes, files] = [0, 0]
  for (let at = waiting.pop(); at !== undefined && files < most; at = waiting.pop()) {
    for (const { folder, name } of entriesOf(at)) {
      const below = `${at}/${name}`
      if (folder) waiting.push(below)
      const state = lstatSync(below, { throwIfNoEntry: false })
      if (state === undefined || state.ctimeMs < since - tickMs) continue
      const identity = `${state.dev}:${state.ino}`
      if (counted.has(identity)) continue
      counted.add(identity)
      files += 1
      bytes += state.blocks * blockBytes
      if (files >= most) break
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
    // It is gone, or may not be read.
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(measure(workerData as ToMeasure))
