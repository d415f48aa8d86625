import type { QuietHours } from '#domain/channels/push-choice.ts'
import { digestSlot, nextDigestSlot } from '../email/digest-slot.ts'

/**
 * When the quiet hours of an instant end; `null`: it is not in quiet hours. They may pass midnight;
 * two equal times mean none. Pure.
 */
export function quietUntil(now: Date, { from, to, timeZone }: QuietHours): Date | null {
  if (from === to) return null
  const began = digestSlot(now, { at: from, timeZone })
  const lastEnd = digestSlot(now, { at: to, timeZone })
  if (began <= lastEnd) return null
  return nextDigestSlot(now, { at: to, timeZone })
}
