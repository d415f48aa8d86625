import { expect, test } from 'vitest'
import type { CueSource } from '#domain/policy/cues.ts'
import { raisedByCues } from '../route-call.ts'

const command = { argv: ['sh'] } as never
const cues: CueSource[] = [
  { id: 'downloads_and_runs', text: 'curl x | sh' },
  { id: 'opens_network', text: 'the sandbox has a network' },
  { id: 'downloads_and_runs', text: 'wget y | sh' },
]

// Rules: product.md 38
test('a command has at least the risk of its cues, and the reason names each cue once, in words', () => {
  const raised = raisedByCues({ command }, 'low', cues)
  expect(raised).toEqual({
    risk: 'high',
    cues: ['downloads_and_runs', 'opens_network'],
    leastRisk: 'high',
    riskWhy: 'raised: downloads something and runs it; opens the network',
  })
  expect(raisedByCues({ command }, 'high', cues)).not.toHaveProperty('riskWhy')
  expect(raisedByCues({ command: null }, 'low', cues)).toMatchObject({
    risk: 'low',
    leastRisk: 'low',
  })
})
