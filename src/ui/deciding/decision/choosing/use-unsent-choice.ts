import { useState } from 'react'
import type { Choice } from './decision-body.ts'
import type { ScopeChoice } from './scope-fields.tsx'

/** The choice for a request that is not submitted yet. */
export interface UnsentChoice {
  readonly choice: Choice | null
  /** the key of the choice made it, so that the same key again submits */
  readonly isArmed: boolean
  readonly scopeChoice: ScopeChoice
  /** the person confirmed that the call runs once more */
  readonly again: boolean
  readonly setChoice: (choice: Choice | null) => void
  /** as `setChoice`, by the key of the choice */
  readonly arm: (choice: Choice) => void
  readonly setScopeChoice: (scopeChoice: ScopeChoice) => void
  readonly setAgain: (again: boolean) => void
}

/**
 * The choice of the page; there is none at first. The page holds it, so that it survives when a
 * tablet is turned and the panel moves.
 */
export function useUnsentChoice(): UnsentChoice {
  const [{ choice, isArmed }, set] = useState<Pick<UnsentChoice, 'choice' | 'isArmed'>>(noChoice)
  const [scopeChoice, setScopeChoice] = useState<ScopeChoice>({
    scope: 'once',
    uses: '',
    until: '',
  })
  const [again, setAgain] = useState(false)
  return {
    choice,
    isArmed,
    scopeChoice,
    again,
    setChoice: (next) => set({ choice: next, isArmed: false }),
    arm: (next) => set({ choice: next, isArmed: true }),
    setScopeChoice,
    setAgain,
  }
}

const noChoice = { choice: null, isArmed: false }
