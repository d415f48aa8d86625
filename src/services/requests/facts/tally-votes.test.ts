import { expect, test } from 'vitest'
import type { Routing } from '#domain/deciding/judgement.ts'
import { tallyVotes, type Voter } from './tally-votes.ts'

const routing: Routing = {
  queue: 'platform',
  team: 'platform',
  quorum: { any: [[{ team: 'platform', count: 2 }]] },
  quorumText: '2 of platform',
  expiresAfterMs: 1000,
  permitForMs: 1000,
  scopes: [],
  edits: 'off',
  selfApproval: false,
  signature: 'optional',
}
const vote = (personId: string, more: Partial<Voter> = {}): Voter => ({
  personId,
  name: personId,
  enabled: true,
  teams: ['platform'],
  ...more,
})

// Rules: product.md 17, 18
test('two rows of one human fill one place, and the second row fills it when the first is disabled', () => {
  const renamed = vote('renamed', { otherIds: ['former'] })
  const former = vote('former', { otherIds: ['renamed'] })
  for (const votes of [
    [former, renamed],
    [renamed, former],
  ]) {
    expect(tallyVotes(routing, votes)).toMatchObject({ met: false })
    expect(tallyVotes(routing, [...votes, vote('grace')])).toMatchObject({ met: true })
  }
  const disabled = { ...former, enabled: false }
  expect(tallyVotes(routing, [disabled, renamed, vote('grace')])).toMatchObject({ met: true })
})
