import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { addRequest } from '#test/harness/fixtures/gated-run.ts'
import { eventsAbout } from '#test/harness/fixtures/events-about.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { claimRequest, releaseClaim } from './claim-request.ts'
import { commentRequest } from './comment-request.ts'
import { getRequest } from './detail/get-request.ts'
import { useRequestDesk, database, service, ada, grace, linus, root } from './requests.fixture.ts'

useRequestDesk()

// Rules: product.md 20
describe('a claim', () => {
  test('is a hint with a lease: others may not claim it, and may still decide it', async () => {
    const request = await addRequest(service, root, { turn: 4 })
    const claim = await claimRequest(service.ctx, grace.caller, { request: request.id })
    expect(claim.leaseUntil.getTime()).toBeGreaterThan(claim.at.getTime())
    await claimRequest(service.ctx, grace.caller, { request: request.id })
    const other = await refusal(claimRequest(service.ctx, linus.caller, { request: request.id }))
    expect([other.code, other.facts['claimedBy']]).toEqual(['claimed', 'Grace'])
    const release = refusal(releaseClaim(service.ctx, linus.caller, { request: request.id }))
    expect((await release).code).toBe('claimed')
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.claim?.person.name).toBe('Grace')
    const answer = await decideAs(service.ctx, linus, request)
    expect(answer.state).toBe('approved')
    const late = claimRequest(service.ctx, grace.caller, { request: request.id })
    expect((await refusal(late)).code).toBe('already_decided')
  })

  test('ends with its lease or its release, and is refused to people outside the queue', async () => {
    const request = await addRequest(service, root, { turn: 5 })
    await claimRequest(service.ctx, grace.caller, { request: request.id })
    await setRows(
      database.db,
      'claim',
      { request_id: request.id },
      { lease_until: sql<Date>`clock_timestamp()` },
    )
    await claimRequest(service.ctx, linus.caller, { request: request.id })
    await releaseClaim(service.ctx, linus.caller, { request: request.id })
    await releaseClaim(service.ctx, linus.caller, { request: request.id })
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.claim).toBeNull()
    const outside = claimRequest(service.ctx, ada.caller, { request: request.id })
    expect((await refusal(outside)).code).toBe('not_eligible')
    const words = commentRequest(service.ctx, ada.caller, { request: request.id, text: 'please' })
    expect((await refusal(words)).code).toBe('not_eligible')
  })

  test('is recorded with its person, when it begins and when it is released', async () => {
    const request = await addRequest(service, root, { turn: 6 })
    await claimRequest(service.ctx, grace.caller, { request: request.id })
    await releaseClaim(service.ctx, grace.caller, { request: request.id })
    const events = await eventsAbout(database.db, request.id, 'request.claimed')
    const actor = { type: 'person', id: grace.id, name: 'Grace' }
    expect(events).toMatchObject([
      { actor, runId: root.id, detail: { what: 'claimed' } },
      { actor, runId: root.id, detail: { what: 'released' } },
    ])
  })
})
