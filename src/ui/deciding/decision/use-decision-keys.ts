import { type RefObject } from 'react'
import { focusAfterKey } from '../../keyboard/focus-after-key.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { platform } from '../../keyboard/platform.ts'
import { keysOf } from '../../keyboard/shortcuts.ts'
import { announce } from '../../states/announce.tsx'
import { reasonPresets, withPreset } from '../../states/reason-presets.ts'
import { whyReasonOf } from './choosing/decision-body.ts'
import type { Decision, DecisionInput } from './use-decision.ts'

/**
 * The keys of a panel. Registers the keys that submit. Returns what a second press of A or D does,
 * and what a digit on a choice does. `onShowUnseen` scrolls to what has not been on the screen;
 * `false`: there is nothing to show.
 */
export function useDecisionKeys(
  decision: Decision,
  { request, displayedRequest, unsentChoice, fullyViewed, onNext }: DecisionInput,
  panel: RefObject<HTMLElement | null>,
  onShowUnseen: () => boolean,
) {
  const { choice } = unsentChoice
  const { busy, votable, obstacle, reason } = decision
  useShortcut('submit', votable ? () => void decision.send(false) : null)
  useShortcut('submitNext', votable && onNext !== null ? () => void decision.send(true) : null)

  const goToReason = (): void => {
    const field = panel.current?.querySelector('textarea')
    const [key = ''] = keysOf(choice === 'approve' ? 'approve' : 'deny', platform)
    if (field != null) focusAfterKey(field, key)
  }
  /** What is to be done first comes on the screen: reading, then the reason, then the tick. */
  const goToObstacle = (): void => {
    if (choice === 'approve' && request.risk === 'high' && !fullyViewed && onShowUnseen()) return
    if (whyReasonOf(choice, displayedRequest) !== null && reason.trim() === '') goToReason()
    else panel.current?.querySelector<HTMLElement>('input[type="checkbox"]')?.focus()
  }
  return {
    /** At low and medium risk, holds the decision; before that, leads to what is missing. */
    pressAgain: (): void => {
      if (busy || !votable) return
      if (obstacle !== null) {
        decision.remind()
        announce(obstacle)
        goToObstacle()
        return
      }
      if (!decision.onlyByChord) return decision.hold()
      announce(`Submit this with ${keysOf('submit', platform).join(' ').replace('⏎', 'Enter')}.`)
      // Where letters are text: on the choices, a letter of a typed reason could choose another.
      goToReason()
    },
    /** A digit puts a common reason into a denial; `false`: it has none. */
    chooseReason: (digit: number): boolean => {
      const preset = decision.isDenial ? reasonPresets[digit - 1] : undefined
      if (preset === undefined) return false
      decision.setReason(withPreset(preset, reason))
      if (preset.endsWith('…')) panel.current?.querySelector('textarea')?.focus()
      else announce(`Reason: ${preset}`)
      return true
    },
  }
}
