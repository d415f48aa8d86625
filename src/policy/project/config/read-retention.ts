import type { RetentionSettings } from '../../settings.ts'
import { readFields, type Spot } from '../../reading/spot.ts'
import { readDuration } from '../../reading/values.ts'
import { retention } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Everything is kept. */
export const noRetention: RetentionSettings = { transcriptsMs: null, recordsMs: null }

/** Reads `retention`: what need not be kept for ever. */
export function readRetention(spot: Spot): RetentionSettings {
  const fields = readFields(spot, keysOf(retention))
  const read = (key: 'transcripts' | 'records'): number | null => {
    const at = fields?.get(key) ?? null
    return at === null ? null : readDuration(at)
  }
  return { transcriptsMs: read('transcripts'), recordsMs: read('records') }
}
