import { cueLevel, type Cue, type CueSource } from '#domain/policy/cues.ts'
import type { Presentation } from '#domain/tools/presentation.ts'

/**
 * Cues with the lines of the presentation that cause them. A cue whose line a change leaves
 * unchanged is dropped. Lines count from 1.
 */
export function locateCues(cues: readonly CueSource[], presentation: Presentation): readonly Cue[] {
  const { type, content } = presentation
  if (cues.length === 0) return []
  const lines = content.split('\n')
  return cues.flatMap(({ id, text, line, says, file, onlyReaches }) => {
    const reach = onlyReaches === undefined ? {} : { onlyReaches }
    const cue = { id, level: cueLevel(id), text, ...reach }
    if (says === undefined) {
      const isShown = line !== undefined && type === 'command' && line <= lines.length
      return [{ ...cue, ...(isShown ? { line } : {}), ...(file === undefined ? {} : { file }) }]
    }
    const cueLine = lineThatSays(lines, says, type)
    if (cueLine === null) return type === 'diff' ? [] : [cue]
    return [{ ...cue, line: cueLine }]
  })
}

function lineThatSays(
  lines: readonly string[],
  says: string,
  type: Presentation['type'],
): number | null {
  const excerpt = says.trim()
  if (excerpt === '') return null
  const at = lines.findIndex((line) => {
    if (type !== 'diff') return line.trimStart().startsWith(excerpt)
    return (
      line.startsWith('+') && !line.startsWith('+++') && line.slice(1).trim().startsWith(excerpt)
    )
  })
  return at < 0 ? null : at + 1
}
