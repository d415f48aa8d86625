import { generateKeyPairSync } from 'node:crypto'
import type { Selectable } from 'kysely'
import { describe, expect, test } from 'vitest'
import { signStatement, type Verifier } from '#domain/statements/statement-bytes.ts'
import type { PermitStatement } from '#domain/statements/statement.ts'
import type { PermitTable } from '#store/tables/decisions.ts'
import { verifyPermit, type PermitExpectation } from './permits.ts'

const keys = generateKeyPairSync('ed25519')
const signer = { keyId: 'now', privateKey: keys.privateKey }
const verifier: Verifier = { publicKeys: new Map([['now', keys.publicKey]]) }

const revoked = new Set<string>()
const vouching = {
  verifier,
  seals: { revocations: { has: ({ id }: { readonly id: string }) => revoked.has(id) } },
}

const issuedAt = '2026-03-01T12:00:00.000Z'
const expiresAt = '2026-03-31T12:00:00.000Z'
const statement: PermitStatement = {
  version: 1,
  permitId: 'permit',
  requestId: 'request',
  revision: 1,
  runId: 'run',
  callId: 'call',
  digest: 'sha256:call',
  factsDigest: 'sha256:facts',
  decision: 'approve',
  deciders: ['grace'],
  policyDigest: 'sha256:policy',
  issuedAt,
  expiresAt,
  nonce: 'n',
  attempt: 1,
  epoch: 1,
}
const expected: PermitExpectation = {
  requestId: 'request',
  revision: 1,
  runId: 'run',
  callId: 'call',
  digest: 'sha256:call',
  factsDigest: 'sha256:facts',
  policyDigest: 'sha256:policy',
  attempt: 1,
  epoch: 1,
  now: new Date('2026-03-02T00:00:00Z'),
}

function row(
  signed: object = statement,
  more: Partial<Selectable<PermitTable>> = {},
): Selectable<PermitTable> {
  const made = signStatement(signer, 'permit', signed)
  return {
    id: 'permit',
    request_id: 'request',
    revision: 1,
    attempt: 1,
    run_id: 'run',
    call_id: 'call',
    state: 'live',
    statement: made.statement,
    signature: made.signature,
    key_id: made.keyId,
    epoch: 1,
    issued_at: new Date(issuedAt),
    expires_at: new Date(expiresAt),
    ended_at: null,
    ...more,
  }
}

describe('a permit', () => {
  // Rules: product.md 12
  test('allows exactly the call that it was signed for', () => {
    expect(verifyPermit(vouching, row(), expected)).toEqual({ ok: true, statement })
  })

  test.each([
    ['requestId', 'other'],
    ['revision', 2],
    ['runId', 'other'],
    ['runId', null],
    ['callId', 'other'],
    ['digest', 'sha256:other'],
    ['factsDigest', 'sha256:other'],
    ['policyDigest', 'sha256:other'],
    ['attempt', 2],
    ['epoch', 2],
  ])('allows no other call: another %s (%s)', (field, value) => {
    const verdict = verifyPermit(vouching, row(), { ...expected, [field]: value })
    expect(verdict).toEqual({ ok: false, reason: 'invalid_permit', detail: field })
  })

  test.each([
    ['decision', { ...statement, decision: 'deny' }],
    ['deciders', { ...statement, deciders: [] }],
    ['version', { ...statement, version: 2 }],
    ['permitId', { ...statement, permitId: 'other' }],
  ])('of another %s is invalid', (detail, signed) => {
    expect(verifyPermit(vouching, row(signed), expected)).toMatchObject({ ok: false, detail })
  })

  test('whose text, signature, key or deadline was changed in the row is invalid', () => {
    const text = row().statement
    const grant = signStatement(signer, 'grant', statement)
    for (const change of [
      { statement: text.replace('grace', 'mallo') },
      { statement: `${text} ` },
      { statement: '{}' },
      { signature: '' },
      { signature: grant.signature },
      { key_id: 'other' },
      { key_id: '__proto__' },
      { expires_at: new Date('2036-03-31T12:00:00.000Z') },
      { id: 'other' },
    ]) {
      const verdict = verifyPermit(vouching, row(statement, change), expected)
      expect(verdict, JSON.stringify(change)).toMatchObject({ ok: false, reason: 'invalid_permit' })
    }
  })

  test('lapses at its deadline, not before, and is used once', () => {
    const at = (now: string) => verifyPermit(vouching, row(), { ...expected, now: new Date(now) })
    expect(at('2026-03-31T11:59:59.999Z')).toMatchObject({ ok: true })
    expect(at(expiresAt)).toMatchObject({ ok: false, reason: 'lapsed' })
    expect(at('not a time')).toMatchObject({ ok: false, reason: 'lapsed' })
    const inState = (state: string) =>
      verifyPermit(vouching, row(statement, { state: state as 'live' }), expected)
    expect(inState('consumed')).toMatchObject({ ok: false, reason: 'invalid_permit' })
    expect(inState('revoked')).toMatchObject({ ok: false, reason: 'revoked' })
    expect(inState('lapsed')).toMatchObject({ ok: false, reason: 'lapsed' })
  })

  // Rules: security.md 29
  test('that was revoked stays revoked, whatever state its row is put into', () => {
    revoked.add('permit')
    for (const state of ['live', 'consumed', 'lapsed'] as const) {
      expect(verifyPermit(vouching, row(statement, { state }), expected)).toMatchObject({
        ok: false,
        reason: 'revoked',
      })
    }
    revoked.clear()
  })
})
