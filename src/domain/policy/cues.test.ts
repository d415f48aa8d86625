import { expect, test } from 'vitest'
import { displayedCues, type CueId } from './cues.ts'

const cases: readonly { cues: CueId[]; displayed: CueId[] }[] = [
  { cues: [], displayed: [] },
  { cues: ['opens_network', 'money'], displayed: ['opens_network', 'money'] },
  { cues: ['network_missing'], displayed: ['network_missing'] },
  {
    cues: ['downloads_and_runs', 'opens_network', 'network_missing', 'opens_network'],
    displayed: ['downloads_and_runs', 'network_missing'],
  },
]

// Rules: product.md 38
test.each(cases)('of $cues people are shown $displayed', ({ cues, displayed }) => {
  const shown = displayedCues(cues.map((id) => ({ id })))
  expect(shown.map(({ id }) => id)).toEqual(displayed)
})
