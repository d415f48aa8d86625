import { type RefObject } from 'react'
import { focusAfterKey } from '../../keyboard/focus-after-key.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { platform } from '../../keyboard/platform.ts'
import { keysOf } from '../../keyboard/shortcuts.ts'
import { announce } from '../../states/announce.tsx'
import { choosePreset } from './choosing/choose-preset.ts'
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
  /** Leads to what is missing: first the unseen part, then the reason, then the checkbox. */
  const goToObstacle = (): void => {
    if (choice === 'approve' && request.risk === 'high' && !fullyViewed && onShowUnseen()) return
    if (whyReasonOf(choice, displayedRequest) !== null && reason.trim() === '') goToReason()
    else panel.current?.querySelector<HTMLElement>('input[type="checkbox"]')?.focus()
  }
  return {
    /**
     * Leads to what is missing. If nothing is, and the risk is low or medium, holds the decision.
     */
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
      // The focus leaves the choices: letters typed there would choose, and here they are text.
      goToReason()
    },
    /** Puts the preset with this number into the reason of a denial; `false`: there is none. */
    chooseReason: (digit: number): boolean =>
      decision.isDenial && choosePreset(digit, [reason, decision.setReason], panel.current),
  }
}
