import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readPasskeyKey, whyNotSigned } from '#domain/deciding/decision-signature.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { addRequest, type TestRequest } from '#test/harness/fixtures/gated-run.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import {
  addSession,
  registeredPasskey,
  relyingParty,
} from '#test/harness/fixtures/keys/registered-passkey.ts'
import type { Misbehaviour, SoftwarePasskey } from '#test/harness/fixtures/keys/software-passkey.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { readPublicKey } from '../passkeys/public-key.ts'
import { removeCredential } from '../passkeys/remove-credential.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { decideMany } from './decide-many.ts'
import { decideRequest } from './decide-request.ts'
import {
  ada,
  approving,
  decide,
  denying,
  edsger,
  grace,
  linus,
  run,
  service,
  stateOf,
  useDecisionDesk,
} from './decisions.fixture.ts'
import { offerSignature } from './offer-signature.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'

useDecisionDesk()

let session: string
let passkey: SoftwarePasskey
let credentialId: string
let request: TestRequest
beforeAll(async () => {
  session = await addSession(service, grace)
  const registered = await registeredPasskey(service.ctx, grace, session, edsger)
  passkey = registered.passkey
  credentialId = registered.credentialId
})
beforeEach(async () => {
  request = await addRequest(service, run, { risk: 'high', routing: { signature: 'required' } })
})

function approval(more: JsonObject = {}, of: TestRequest = request): JsonObject {
  return approving(of, { reason: 'checked', seen: of.presentationDigest, ...more })
}

async function offer(body: JsonObject = approval(), of = request, person = grace, by = session) {
  const input = { request: of.id, body, sessionHash: by, relyingParty }
  return offerSignature(service.ctx, person.caller, input)
}

/** The body with the signature of the passkey. */
async function signed(
  body: JsonObject = approval(),
  wrong: Misbehaviour = {},
): Promise<JsonObject> {
  const { options } = await offer(body)
  return { ...body, assertion: passkey.get(options, wrong) as unknown as JsonObject }
}

function send(body: JsonObject, of = request, person: TestPerson = grace, by = session) {
  return decideRequest(service.ctx, person.caller, { request: of.id, body, sessionHash: by })
}

async function refusedFor(attempt: Promise<unknown>): Promise<unknown> {
  const { code, facts } = await refusal(attempt)
  return code === 'signature_invalid' ? facts['which'] : code
}

async function eventOf(type: 'decision.recorded' | 'decision.refused'): Promise<JsonObject> {
  const event = (await trailOf(service.db, { request: request.id }, type)).at(-1)
  return event?.detail ?? expect.fail(`the trail has no ${type}`)
}

// Rules: security.md 12, 15
describe('a high-risk request whose queue requires a signature', () => {
  test('is approved with a passkey, and the trail keeps everything that others need to verify it', async () => {
    const answer = await send(await signed())
    expect(answer.state).toBe('approved')
    const { signature, reason, basis } = await eventOf('decision.recorded')
    const { statement } = signature as { statement: string } & JsonObject
    expect(JSON.parse(statement)).toEqual({
      version: 1,
      origin: relyingParty.origin,
      requestId: request.id,
      revision: 1,
      digest: request.digest,
      policyDigest: service.policy.digest,
      decision: 'approve',
      reasonHash: reason,
      personId: grace.id,
      issuedAt: expect.any(String),
      nonce: expect.any(String),
    })
    expect(basis).toMatchObject({ signature: 'required' })
    const { public_key: coseKey } = await rowOf(service.db, 'credential', { id: credentialId })
    const key = readPasskeyKey((await readPublicKey(coseKey)).spki)
    expect(whyNotSigned(signature as never, key!)).toBeNull()
    expect(
      whyNotSigned({ ...(signature as object), statement: '{}' } as never, key!),
    ).not.toBeNull()
    const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(detail.decisions).toMatchObject([{ reason: 'checked', signedWith: "Grace's laptop" }])
  })

  test('is not approved without a signature, and is denied without one, alone and among many', async () => {
    expect(await refusedFor(send(approval()))).toBe('signature_required')
    const single = { ...approval(), requestId: request.id }
    const { items } = await decideMany(service.ctx, grace.caller, { decisions: [single] })
    expect(items).toMatchObject([{ status: 422, code: 'signature_required' }])
    const denial = { ...denying(request, { reason: 'no' }), requestId: request.id }
    const denied = await decideMany(service.ctx, grace.caller, { decisions: [denial] })
    expect(denied.items).toMatchObject([{ status: 200, state: 'denied' }])
  })

  test('keeps the signature of a signed denial', async () => {
    const body = denying(request, { reason: 'no' })
    expect((await send(await signed(body))).state).toBe('denied')
    expect((await eventOf('decision.recorded'))['signature']).toMatchObject({ credentialId })
  })

  test.each([
    ['another origin', { origin: 'https://evil.example' }, 'assertion'],
    ['another host', { rpId: 'evil.example' }, 'assertion'],
    ['a frame of another site', { crossOrigin: true }, 'assertion'],
    ['an owner who was not verified', { unverified: true }, 'assertion'],
    ['a counter that went back', { counter: 1 }, 'counter'],
    ['a challenge of nobody', { challenge: 'AAAA' }, 'challenge'],
  ] as const)('refuses a signature with %s, and the trail records it', async (_, wrong, which) => {
    await service.db.updateTable('credential').set({ counter: 100 }).execute()
    const body = await signed(approval(), { counter: 1000, ...wrong })
    expect(await refusedFor(send(body))).toBe(which)
    expect(await eventOf('decision.refused')).toMatchObject({ code: 'signature_invalid', which })
    expect(await stateOf(request.id)).toBe('pending')
    await service.db.updateTable('credential').set({ counter: 0 }).execute()
  })

  test('refuses a signature of another request, digest, revision, decision or reason', async () => {
    const other = await addRequest(service, run, {
      position: 2,
      risk: 'high',
      routing: { signature: 'required' },
    })
    const signature = async () => ({ assertion: (await signed())['assertion'] ?? null })
    const unlike = { ...approval({}, other), ...(await signature()) }
    expect(await refusedFor(send(unlike, other))).toBe('statement')
    const denial = denying(request, { reason: 'checked', ...(await signature()) })
    expect(await refusedFor(send(denial))).toBe('statement')
    const excuse = approval({ reason: 'another', ...(await signature()) })
    expect(await refusedFor(send(excuse))).toBe('statement')
    const digest = approval({ digest: other.digest, ...(await signature()) })
    expect(await refusedFor(send(digest))).toBe('stale_digest')
    const revision = approval({ revision: 2, ...(await signature()) })
    expect(await refusedFor(send(revision))).toBe('stale_revision')
    expect(await refusedFor(offer(approval({ digest: other.digest })))).toBe('stale_digest')
  })

  test('refuses a signature for another scope, number of uses or continuation, and records the scope that it permits', async () => {
    request = await addRequest(service, run, {
      position: 4,
      risk: 'high',
      routing: { signature: 'required', scopes: ['run'] },
    })
    const once = await signed()
    expect(await refusedFor(send({ ...once, scope: 'run' }))).toBe('statement')
    const thrice = await signed(approval({ scope: 'run', grant: { uses: 3 } }))
    expect(await refusedFor(send({ ...thrice, grant: { uses: 4 } }))).toBe('statement')
    const unbounded = await signed(approval({ scope: 'run' }))
    expect(await refusedFor(send({ ...unbounded, grant: { uses: 3 } }))).toBe('statement')
    const stopping = denying(request, { reason: 'no', then: 'stop' })
    expect(await refusedFor(send({ ...(await signed(stopping)), then: 'continue' }))).toBe(
      'statement',
    )
    await send(await signed(approval({ scope: 'run', grant: { uses: 3 } })))
    const { signature, grant } = await eventOf('decision.recorded')
    expect(grant).toEqual({ uses: 3, expiresAt: null })
    expect(JSON.parse((signature as { statement: string } & JsonObject).statement)).toMatchObject({
      scope: 'run',
      grant,
    })
  })

  test('accepts no second answer to a challenge whose first answer was refused', async () => {
    const body = await signed()
    expect(await refusedFor(send({ ...body, reason: 'another' }))).toBe('statement')
    expect(await refusedFor(send(body))).toBe('challenge')
    expect(await stateOf(request.id)).toBe('pending')
  })

  test('takes a nonce once, from the session and the person that requested it, before it expires', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    request = await addRequest(service, run, {
      position: 3,
      risk: 'high',
      quorum,
      routing: { signature: 'required' },
    })
    const body = await signed()
    expect(await refusedFor(send(body, request, grace, await addSession(service, grace)))).toBe(
      'challenge',
    )
    const own = await addSession(service, linus)
    expect(await refusedFor(send(body, request, linus, own))).toBe('challenge')
    const late = await signed()
    await setRows(
      service.db,
      'passkey_challenge',
      { challenge: clientChallenge(late) },
      { expires_at: new Date(Date.now() - 1000) },
    )
    expect(await refusedFor(send(late))).toBe('challenge')
    expect((await send(body)).state).toBe('pending')
    const again = await addRequest(service, run, {
      position: 2,
      risk: 'high',
      routing: { signature: 'required' },
    })
    const replayed = approval({ assertion: body['assertion'] ?? null }, again)
    expect(await refusedFor(send(replayed, again))).toBe('challenge')
  })

  test('refuses a passkey of another person, one that nobody confirmed, and one that was removed', async () => {
    const own = await addSession(service, linus)
    const theirs = await registeredPasskey(service.ctx, linus, own, null)
    expect(await refusedFor(offer(approval(), request, linus, own))).toBe('no_passkey')
    const signedBy = async ({ get }: SoftwarePasskey): Promise<JsonObject> =>
      approval({ assertion: get((await offer()).options) as unknown as JsonObject })
    expect(await refusedFor(send(await signedBy(theirs.passkey)))).toBe('credential')
    const young = await registeredPasskey(service.ctx, grace, session, null)
    expect(await refusedFor(send(await signedBy(young.passkey)))).toBe('unconfirmed')
    const spare = await registeredPasskey(service.ctx, grace, session, edsger)
    const gone = await signedBy(spare.passkey)
    await removeCredential(service.ctx, grace.caller, { id: spare.credentialId })
    expect(await refusedFor(send(gone))).toBe('credential')
    expect(await stateOf(request.id)).toBe('pending')
  })

  test('gives no challenge to a person who may not decide', async () => {
    const own = await addSession(service, ada)
    await registeredPasskey(service.ctx, ada, own, edsger)
    expect(await refusedFor(offer(approval(), request, ada, own))).toBe('not_eligible')
    expect(await eventOf('decision.refused')).toMatchObject({ attempt: 'sign' })
  })
})

test('a body whose assertion is no answer of WebAuthn is refused with the field', async () => {
  for (const [assertion, field] of [
    ['yes', 'assertion'],
    [{ id: 'AAAA' }, 'assertion.response'],
    [{ id: 'AAAA', type: 'public-key', response: {} }, 'assertion.response.clientDataJSON'],
  ] as const) {
    const { facts } = await refusal(decide(grace, request, approval({ assertion })))
    expect(facts['field']).toBe(field)
  }
})

test('medium risk, and queues that require no signature, need none', async () => {
  for (const [index, options] of (
    [
      { risk: 'medium', routing: { signature: 'required' } },
      { risk: 'high', routing: { signature: 'optional' } },
    ] as const
  ).entries()) {
    const other = await addRequest(service, run, { position: index + 1, turn: 2, ...options })
    expect((await send(approval({}, other), other)).state).toBe('approved')
  }
})

function clientChallenge(body: JsonObject): string {
  const { response } = body['assertion'] as unknown as { response: { clientDataJSON: string } }
  return JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()).challenge
}
