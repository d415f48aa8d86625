import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { fromNow } from './times.ts'

/** How a resting run can be continued, and when it ends; empty for a run that does not rest. */
export function restLines({ number, rest, restsUntil }: RunDetail): string[] {
  if (rest === undefined) return []
  const until = restsUntil == null ? '' : `, which ends it ${fromNow(restsUntil)} otherwise`
  return [
    `It waits for a message${until}: countersign runs message ${number} TEXT`,
    `To complete it: countersign runs close ${number}`,
  ]
}
