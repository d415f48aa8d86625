import { useState } from 'react'
import type { Choice } from './decision-body.ts'
import type { ScopeChoice } from './scope-fields.tsx'

/** What somebody has chosen for a request, and not submitted. */
export interface Chosen {
  readonly choice: Choice | null
  readonly reach: ScopeChoice
  readonly setChoice: (choice: Choice | null) => void
  readonly setReach: (reach: ScopeChoice) => void
}

/** Nothing is chosen at first. Held by the page, so that it outlives the panel that moves when a tablet is turned. */
export function useChosen(): Chosen {
  const [choice, setChoice] = useState<Choice | null>(null)
  const [reach, setReach] = useState<ScopeChoice>({ scope: 'once', uses: '', until: '' })
  return { choice, reach, setChoice, setReach }
}
