import { useState } from 'react'
import type { Choice } from './decision-body.ts'
import type { ScopeChoice } from './scope-fields.tsx'

/** What somebody has chosen for a request, and not submitted. */
export interface UnsentChoice {
  readonly choice: Choice | null
  readonly reach: ScopeChoice
  /** "yes, again" */
  readonly again: boolean
  readonly setChoice: (choice: Choice | null) => void
  readonly setReach: (reach: ScopeChoice) => void
  readonly setAgain: (again: boolean) => void
}

/**
 * Nothing is chosen at first. Held by the page, so that it outlives the panel that moves when a
 * tablet is turned.
 */
export function useChosen(): UnsentChoice {
  const [choice, setChoice] = useState<Choice | null>(null)
  const [reach, setReach] = useState<ScopeChoice>({ scope: 'once', uses: '', until: '' })
  const [again, setAgain] = useState(false)
  return { choice, reach, again, setChoice, setReach, setAgain }
}
