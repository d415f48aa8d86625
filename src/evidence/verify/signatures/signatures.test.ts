import { describe, expect, test } from 'vitest'
import { challengeOf, readPasskeyKey, whyNotSigned } from '#domain/deciding/decision-signature.ts'
import { canonicalJson, hashBytes } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import {
  passkeyOrigin,
  softwarePasskey,
  type Misbehaviour,
} from '#test/harness/fixtures/keys/software-passkey.ts'
import { EventJudge, openFindings, verdictsOf } from '../judge-events.ts'
import { asRequest, legalTrail, personOf, type TrailEvent } from '../trail.fixture.ts'

const passkey = softwarePasskey()
const owner = { type: 'person', id: personOf('grace'), name: 'grace' }
const confirmer = { type: 'person', id: personOf('olga'), name: 'olga' }

function credentialEvent(change: string, actor: JsonObject, more: JsonObject = {}): TrailEvent {
  const detail = { change, personId: owner.id, credentialId: 'k1', ...more }
  return { type: 'credential.changed', actor, detail }
}

const registered = credentialEvent('passkey_registered', owner, { publicKey: passkey.publicKey })
const confirmed = credentialEvent('passkey_confirmed', confirmer, {
  publicKeyHash: hashBytes(Buffer.from(passkey.publicKey, 'base64')),
})
const removed = credentialEvent('passkey_removed', owner)

const statement = {
  version: 1,
  origin: passkeyOrigin,
  requestId: 'q1',
  revision: 1,
  digest: 'd1',
  policyDigest: null,
  decision: 'approve',
  reasonHash: null,
  personId: owner.id,
  issuedAt: '2026-03-01T10:00:00.000Z',
  nonce: 'n',
}

function signature(content: JsonObject = statement, wrong: Misbehaviour = {}): JsonObject {
  const text = canonicalJson(content)
  const { response } = passkey.get({ challenge: challengeOf(text) }, wrong)
  const { authenticatorData, clientDataJSON, signature: bytes } = response
  return {
    credentialId: 'k1',
    statement: text,
    authenticatorData,
    clientDataJSON,
    signature: bytes,
  }
}

/**
 * The legal trail, in which the queue requires a signature and grace's vote, the only one that
 * counts, carries this.
 */
function signedTrail(
  signed: JsonObject | null,
  before: readonly TrailEvent[] = [registered, confirmed],
  more: JsonObject = {},
): TrailEvent[] {
  const events = legalTrail().flatMap((event): TrailEvent[] => {
    const { detail } = event
    if (event.type === 'request.opened') {
      return [{ ...event, detail: { ...detail, quorum: '1 of platform', signature: 'required' } }]
    }
    if (event.type === 'permit.issued') {
      const counted = [{ personId: owner.id, team: 'platform' }]
      return [{ ...event, actor: owner, detail: { ...detail, counted } }]
    }
    if (event.type !== 'decision.recorded') return [event]
    if (event.actor['id'] !== owner.id) return []
    const basis = {
      ...(detail['basis'] as JsonObject),
      quorum: { any: [[{ team: 'platform', count: 1 }]] },
      signature: 'required',
    }
    const carried = signed === null ? {} : { signature: signed }
    return [{ ...event, detail: { ...detail, basis, ...carried, ...more } }]
  })
  return [...before, ...events]
}

/** Problems by verdict; statements of the installation are another test's. */
function judge(events: readonly TrailEvent[]): Record<string, string> {
  const findings = openFindings()
  const extent = { isWhole: true, requestIds: new Set<string>() }
  const judged = new EventJudge(findings, extent, { stored: [], verifier: null })
  for (const [index, text] of asRequest(events).entries()) judged.take(index, text)
  judged.end()
  return Object.fromEntries(
    verdictsOf(findings).flatMap(({ name, findings: all }) => {
      const problems = all.map(({ problem }) => problem)
      const own = problems.filter((problem) => !problem.startsWith('the signed statement of'))
      return own.length === 0 ? [] : [[name, own.join('\n')]]
    }),
  )
}

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'a signature made with %s is verified',
  (algorithm) => {
    const { publicKey, get } = softwarePasskey(algorithm)
    const text = canonicalJson(statement)
    const { response } = get({ challenge: challengeOf(text) })
    const signed = { credentialId: 'k1', statement: text, ...response }
    expect(whyNotSigned(signed, readPasskeyKey(publicKey)!)).toBeNull()
    const other = readPasskeyKey(softwarePasskey(algorithm).publicKey)!
    expect(whyNotSigned(signed, other)).toBe('its signature is not valid')
  },
)

test('a signature of which a part, or the key, is not exactly the encoding of its bytes does not hold', () => {
  const { publicKey, get } = softwarePasskey()
  const text = canonicalJson(statement)
  const { response } = get({ challenge: challengeOf(text) })
  const signed = { credentialId: 'k1', statement: text, ...response }
  for (const part of ['authenticatorData', 'clientDataJSON', 'signature'] as const) {
    for (const more of ['=', '.', '\n']) {
      const other = { ...signed, [part]: `${signed[part]}${more}` }
      expect(whyNotSigned(other, readPasskeyKey(publicKey)!), part).toBe('it cannot be read')
    }
  }
  expect(readPasskeyKey(` ${publicKey}`)).toBeNull()
})

test('an approval signed with a passkey holds if a second person had confirmed that passkey', () => {
  expect(judge(signedTrail(signature()))).toEqual({})
})

test('a signature holds that states the same reach as the event, or none as in earlier versions', () => {
  const reach = { scope: 'run', grant: { uses: 3, expiresAt: null } }
  const own = [registered, confirmed]
  expect(judge(signedTrail(signature({ ...statement, ...reach }), own, reach))).toEqual({})
  expect(judge(signedTrail(signature(), own, { scope: 'run' }))).toEqual({})
})

test('a sign-in link that was made after the passkey was registered does not matter', () => {
  const link = credentialEvent('link_created', confirmer)
  expect(judge(signedTrail(signature(), [registered, link, confirmed]))).toEqual({})
})

describe('authenticity fails', () => {
  test.each<[string, JsonObject, string]>([
    [
      'for a signature made at another origin',
      signature(statement, { origin: 'https://evil.example' }),
      'another origin',
    ],
    [
      'for one made for another host',
      signature(statement, { rpId: 'evil.example' }),
      'another host',
    ],
    [
      'for one whose giver was not verified',
      signature(statement, { unverified: true }),
      'did not verify its owner',
    ],
    [
      'for one of another challenge',
      signature(statement, { challenge: 'AAAA' }),
      'another statement',
    ],
    ['for bytes that were changed', { ...signature(), signature: 'AAAA' }, 'does not hold'],
    [
      'for a statement that was changed',
      { ...signature(), statement: canonicalJson({ ...statement, digest: 'd2' }) },
      'another statement',
    ],
    ['for another digest', signature({ ...statement, digest: 'd2' }), 'differ in digest'],
    ['for another request', signature({ ...statement, requestId: 'q2' }), 'differ in requestId'],
    ['for another revision', signature({ ...statement, revision: 2 }), 'differ in revision'],
    ['for another decision', signature({ ...statement, decision: 'deny' }), 'differ in decision'],
    [
      'for another reason',
      signature({ ...statement, reasonHash: 'sha256:0' }),
      'differ in reasonHash',
    ],
    ['for another person', signature({ ...statement, personId: 'x' }), 'differ in personId'],
    [
      'for a passkey that no event tells of',
      { ...signature(), credentialId: 'k2' },
      'no event names the passkey',
    ],
    ['for what cannot be read', { credentialId: 'k1' }, 'cannot be read'],
  ])('%s', (_, signed, problem) => {
    expect(judge(signedTrail(signed))['authenticity']).toContain(problem)
  })

  const bounds = { uses: 3, expiresAt: null }
  test.each<[string, JsonObject, JsonObject, string]>([
    ['once', {}, { scope: 'run', grant: null }, 'differ in scope'],
    ['the run', { scope: 'run' }, { scope: 'once' }, 'differ in scope'],
    ['a path', { scope: 'path' }, { scope: 'run', grant: null }, 'differ in scope'],
    ['three times', { scope: 'run', grant: bounds }, { scope: 'run', grant: null }, 'in grant'],
    ['any number', { scope: 'run' }, { scope: 'run', grant: bounds }, 'differ in grant'],
  ])('for one that permits %s, and another reach in the event', (_, reach, more, problem) => {
    const trail = signedTrail(signature({ ...statement, ...reach }), [registered, confirmed], more)
    expect(judge(trail)['authenticity']).toContain(problem)
  })

  test('for a signature that occurs twice', () => {
    const trail = signedTrail(signature())
    const place = trail.findIndex(({ type }) => type === 'decision.recorded')
    const again = trail.toSpliced(place, 0, trail[place]!)
    expect(judge(again)['authenticity']).toContain('is there twice')
  })
})

describe('authorisation fails', () => {
  const notOwn = { publicKeyHash: confirmed.detail['publicKeyHash'] ?? null }
  test.each<[string, TrailEvent[], string]>([
    ['without the signature that the queue required', signedTrail(null), 'has no signature'],
    [
      'when the decision was judged as if none were required',
      signedTrail(null, [], {
        basis: {
          ...(legalTrail()[3]!.detail['basis'] as JsonObject),
          quorum: { any: [[{ team: 'platform', count: 1 }]] },
        },
      }),
      'was judged without',
    ],
    [
      'for a passkey that nobody had confirmed',
      signedTrail(signature(), [registered]),
      'nobody else had confirmed',
    ],
    [
      'for one that its owner confirmed',
      signedTrail(signature(), [registered, credentialEvent('passkey_confirmed', owner, notOwn)]),
      'nobody else than its owner',
    ],
    [
      'for one of which another key was confirmed',
      signedTrail(signature(), [
        registered,
        credentialEvent('passkey_confirmed', confirmer, { publicKeyHash: 'sha256:0' }),
      ]),
      'another key was confirmed',
    ],
    [
      'for one that had been removed',
      signedTrail(signature(), [registered, confirmed, removed]),
      'had removed its passkey',
    ],
    [
      'for one that was registered by somebody else',
      signedTrail(signature(), [{ ...registered, actor: confirmer }, confirmed]),
      'by somebody else than its owner',
    ],
    [
      'for one that was confirmed by who had made a sign-in link for its owner',
      signedTrail(signature(), [credentialEvent('link_created', confirmer), registered, confirmed]),
      'had created a sign-in link',
    ],
    [
      'for one that was confirmed only afterwards',
      [...signedTrail(signature(), [registered]), confirmed],
      'nobody else had confirmed',
    ],
  ])('%s', (_, trail, problem) => {
    expect(judge(trail)['authorisation']).toContain(problem)
  })
})
