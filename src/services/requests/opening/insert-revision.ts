import { usualCueTexts, type Cue, type StoredCue } from '#domain/policy/cues.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'
import { storable } from '../../transcript/storable-text.ts'

/**
 * What a revision says at its head: what it does, unless that is its title, and what deserves
 * attention. Stored once, under its seal.
 */
export function headlineColumns({
  title,
  effect,
  cues = [],
}: Pick<StoredPresentation, 'title' | 'effect' | 'cues'>) {
  return {
    effect: effect === undefined || effect === title ? null : storable(effect),
    cues: cues.length === 0 ? null : cues.map(storedCue),
  }
}

function storedCue({ id, text, line, file }: Cue): StoredCue {
  return {
    id,
    ...(text === usualCueTexts[id] ? {} : { text: storable(text) }),
    ...(line === undefined ? {} : { line }),
    ...(file === undefined ? {} : { file: storable(file) }),
  }
}
