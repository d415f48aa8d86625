import { logFileNames, logPartNames, readTexts, type LogFiles } from '../../bundle/log-files.ts'
import { decodeEntries } from '../../tiles/entry-bundle.ts'
import { entriesPath, tileWidth } from '../../tiles/tile-path.ts'
import type { WitnessedEvidence } from './check-witnesses.ts'
import { readEvent } from '../findings/logged-event.ts'

/**
 * Witnesses are seconds behind the log, and may be offline for a while: events that they have not
 * seen are at most this old.
 */
const seenWithinMs = 10 * 60_000

/**
 * The checkpoints of a full export that witnesses may have cosigned, and the events that all of
 * them must have seen.
 */
export function witnessedLog(
  files: LogFiles,
  newest: { readonly size: number; readonly newestMs: number },
): Pick<WitnessedEvidence, 'notes' | 'beyond'> {
  return {
    notes: notesOf(files),
    beyond: (size) => {
      if (size >= newest.size) return null
      const first = eventAt(files, size, newest.size)
      const isYoung = first !== null && first.atMs >= newest.newestMs - seenWithinMs
      return isYoung ? null : `it did not see event ${size}, of ${first?.at ?? 'no known time'}`
    },
  }
}

/** The newest first. Checks of single notes report those that cannot be parsed. */
function notesOf(files: LogFiles): string[] {
  const note = files.read(logFileNames.checkpoint)
  const newest = note === null ? [] : [Buffer.from(note).toString('utf8')]
  try {
    return [...newest, ...readTexts(files, logPartNames.checkpoints).toReversed()]
  } catch {
    return newest
  }
}

function eventAt(files: LogFiles, index: number, size: number) {
  const tile = Math.floor(index / tileWidth)
  const width = Math.min(tileWidth, size - tile * tileWidth)
  try {
    const bytes = files.read(entriesPath({ index: tile, width }))
    const entry = bytes === null ? undefined : decodeEntries(bytes)[index % tileWidth]
    return entry === undefined ? null : readEvent(index, entry.toString('utf8'))
  } catch {
    return null
  }
}
