import { announce } from '../../../states/announce.tsx'
import { reasonPresets, withPreset } from './reason-presets.ts'

/**
 * Puts the preset with this number into the reason of a denial, and sets the focus on the field of
 * one that begins a sentence. `false`: there is none.
 */
export function choosePreset(
  digit: number,
  [reason, setReason]: readonly [string, (reason: string) => void],
  form: Element | null,
): boolean {
  const preset = reasonPresets[digit - 1]
  if (preset === undefined) return false
  setReason(withPreset(preset, reason))
  if (preset.endsWith('…')) form?.querySelector('textarea')?.focus()
  else announce(`Reason: ${preset}`)
  return true
}
