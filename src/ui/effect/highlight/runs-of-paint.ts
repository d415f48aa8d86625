import type { StyledRun } from '../../text/styled-runs.ts'
import { paintKinds, type PaintedLine } from './paint-kinds.ts'

/** The coloured parts of a line as runs with classes. Pure. */
export function runsOfPaint(line: PaintedLine): StyledRun[] {
  let start = 0
  return line.flatMap(([length, kind]) => {
    const from = start
    start += length
    const name = paintKinds[kind]
    return name === undefined || name === 'plain' || length === 0
      ? []
      : [{ start: from, end: start, className: `paint-${name}` }]
  })
}
