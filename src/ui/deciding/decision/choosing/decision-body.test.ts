import { expect, test } from 'vitest'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { decisionBody, whyNotSubmit, type PanelFields } from './decision-body.ts'

const request = {
  tool: 'write_file',
  digest: 'sha256:d',
  revision: 3,
  risk: 'low',
  alike: { same: [], similar: [], hidden: 0, again: 0 },
  presentation: { digest: 'sha256:p', truncated: false, metadata: { path: 'notes/1.2.md' } },
} as unknown as RequestDetail
const high = { ...request, risk: 'high' } as RequestDetail
const fields: PanelFields = {
  choice: 'approve',
  scope: 'once',
  uses: '',
  until: '',
  reason: '',
  fullyViewed: false,
  hasMaskedSecrets: false,
  again: false,
  offline: false,
  nowMs: Date.parse('2026-01-01T00:00:00Z'),
}

test('without a choice nothing can be submitted', () => {
  expect(whyNotSubmit(request, { ...fields, choice: null })).toBe('Choose a decision first.')
  expect(whyNotSubmit(request, fields)).toBeNull()
})

test('offline, not even a denial can be submitted', () => {
  expect(whyNotSubmit(request, { ...fields, choice: 'deny', offline: true })).toContain('Offline')
})

test('high risk is approved only with a reason and once all of it was on the screen', () => {
  expect(whyNotSubmit(high, fields)).toBe('High risk needs a reason.')
  expect(whyNotSubmit(high, { ...fields, reason: 'read' })).toContain('scroll through')
  expect(whyNotSubmit(high, { ...fields, reason: 'read', fullyViewed: true })).toBeNull()
  expect(
    whyNotSubmit(high, { ...fields, reason: 'read', fullyViewed: true, hasMaskedSecrets: true }),
  ).toContain('masked')
})

test('a command is approved only after every masked value in it was shown, at every risk', () => {
  const presentation = { ...request.presentation, type: 'command' as const }
  expect(whyNotSubmit({ ...request, presentation }, { ...fields, hasMaskedSecrets: true })).toBe(
    'This runs: show every masked value first.',
  )
  expect(whyNotSubmit({ ...request, presentation }, fields)).toBeNull()
  expect(whyNotSubmit(request, { ...fields, hasMaskedSecrets: true })).toBeNull()
})

test('at high risk a call that was carried out before is approved only with the box “again” ticked', () => {
  const alike = { ...request.alike, again: 2 }
  const repeated = { ...high, alike }
  const ready = { ...fields, reason: 'read', fullyViewed: true }
  expect(whyNotSubmit(repeated, ready)).toContain('Yes, again')
  expect(whyNotSubmit(repeated, { ...ready, again: true })).toBeNull()
  expect(decisionBody(repeated, { ...ready, again: true })).toMatchObject({ again: true })
  expect(whyNotSubmit(repeated, { ...ready, choice: 'deny' })).toBeNull()
  // Below high risk the form has no checkbox, and the body does not contain `again`.
  const medium = { ...request, alike }
  expect(whyNotSubmit(medium, fields)).toBeNull()
  expect(decisionBody(medium, fields)).not.toHaveProperty('again')
})

test('high risk may be denied before all of it was on the screen, but not without a reason', () => {
  expect(whyNotSubmit(high, { ...fields, choice: 'deny' })).toBe('High risk needs a reason.')
  expect(whyNotSubmit(high, { ...fields, choice: 'stop', reason: 'no' })).toBeNull()
})

test('a call that may have run before a restore is approved only with a reason, and denied without one', () => {
  const again = { ...request, askedBeforeRestore: true } as RequestDetail
  expect(whyNotSubmit(again, fields)).toContain('approving it needs a reason.')
  expect(whyNotSubmit(again, { ...fields, reason: 'I looked' })).toBeNull()
  expect(whyNotSubmit(again, { ...fields, choice: 'deny' })).toBeNull()
})

test('a decision is bound to the digest and revision that were shown', () => {
  expect(decisionBody(request, { ...fields, reason: ' fine ' })).toEqual({
    decision: 'approve',
    digest: 'sha256:d',
    revision: 3,
    scope: 'once',
    reason: 'fine',
  })
})

test('only a decision at high risk states that everything was seen, with its digest', () => {
  expect(decisionBody(high, { ...fields, reason: 'x', fullyViewed: true })).toMatchObject({
    seen: 'sha256:p',
  })
  expect(decisionBody(request, fields)).not.toHaveProperty('seen')
})

test('a denial says what happens then and has no scope', () => {
  expect(decisionBody(request, { ...fields, choice: 'stop' })).toEqual({
    decision: 'deny',
    digest: 'sha256:d',
    revision: 3,
    then: 'stop',
  })
})

test('limits are sent only with a scope wider than once', () => {
  expect(decisionBody(request, { ...fields, uses: '3' })).not.toHaveProperty('grant')
  expect(decisionBody(request, { ...fields, scope: 'path', uses: '3' })).toMatchObject({
    grant: { uses: 3 },
  })
  const until = '2026-01-02T12:00'
  expect(decisionBody(request, { ...fields, until })).not.toHaveProperty('grant')
  expect(decisionBody(request, { ...fields, scope: 'run', until })).toMatchObject({
    grant: { expiresAt: new Date(until).toISOString() },
  })
})

test('invalid limits of a grant are reported, and only for scopes that have limits', () => {
  expect(whyNotSubmit(request, { ...fields, scope: 'run', uses: '0' })).toContain('1 or more')
  const past = { ...fields, until: '2025-12-30T12:00' }
  expect(whyNotSubmit(request, { ...past, scope: 'run' })).toBe('Until must be in the future.')
  expect(whyNotSubmit(request, past)).toBeNull()
  expect(whyNotSubmit(request, { ...past, scope: 'run', until: '2026-02-01T00:00' })).toBeNull()
})
